import type {
  BatchAnswer,
  BatchRequest,
  CallAnswer,
  ChainAnswer,
  ChainRequest,
  ExecuteAnswer,
  ExecuteRequest,
  ExecutionStatus,
} from '../call/call-answer.ts';
import type { CallEvent } from '../call/call-event.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { StartedCall } from '../call/request-call.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { Fetch } from '../request/fetch.ts';
import type { RequestInput } from '../request/request-input.ts';
import type { Retries } from '../request/retries.ts';
import type { JsonRoute, RequestBody, RequestQuery, ResponseBody } from '../request/routes.ts';
import type { AuditApi } from './audit-api.ts';
import type { ConsoleApi } from './console-api.ts';
import type { InstallsApi } from './installs-api.ts';
import type { WorkspacesApi } from './workspaces-api.ts';

/**
 * A page of the skills that the key may see. Pass `next` as `after`; it is `null` on the last page.
 */
export type SkillList = ResponseBody<'GET /skills'>;

/** A page of skills as tools of a model. Pass `next` as `after`; it is `null` on the last page. */
export type ToolList = ResponseBody<'GET /tools'>;

/** A skill as a tool of a model. */
export type ModelTool = ToolList['tools'][number];

/** A skill: what it is for, what it requests, and its files. */
export type SkillDetail = ResponseBody<'GET /skills/:id'>;

/** The smallest grant that covers what recorded calls of a skill lacked. */
export type Proposal = ResponseBody<'GET /skills/:id/proposal'>;

/** All files of a skill, without their bytes. */
export type SkillFiles = ResponseBody<'GET /skills/:id/files'>;

/** The nodes of a cluster, and the node that lists them. */
export type ClusterNodes = ResponseBody<'GET /cluster/nodes'>;

/** A key and its rights. */
export type ListedKey = ResponseBody<'GET /keys'>['keys'][number];

/** A value of the configuration in force. */
export type ConfigurationValue = ResponseBody<'GET /configuration'>['values'][number];

/** Whether a call may use a capability, and the rule that decides. */
export type PolicyDecision = ResponseBody<'POST /policy/decide'>;

/** A question to the policy. */
export type PolicyQuestion = RequestBody<'POST /policy/decide'>;

/** A composed prompt, with the reason for each part. */
export type PromptAnswer = ResponseBody<'POST /prompt'>;

/** The input of a prompt. */
export type PromptRequest = RequestBody<'POST /prompt'>;

/** Filters for skills. Absent filters match all. */
export type SkillFilter = RequestQuery<'GET /skills'>;

/** Filters for tools: the same, and `untrusted`. */
export type ToolFilter = RequestQuery<'GET /tools'>;

/** The daemon, and how to connect to it. */
export interface AmbitClientOptions {
  /** Its address: `http://127.0.0.1:7433`. */
  url: string;
  /** Absent: only routes that need no key work. */
  key?: string | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /** Aborts everything that this client does; its reason is what methods reject with. */
  signal?: AbortSignal | undefined;
  /** For requests that do not run a skill or read the whole log. Default: 30 seconds. */
  timeoutMs?: number | undefined;
  /** Missing values come from `usualRetries`. */
  retries?: Partial<Retries> | undefined;
  /**
   * A stream that is silent for this long counts as interrupted. Default: 45 seconds; the daemon
   * sends something every 15.
   */
  silenceMs?: number | undefined;
  /**
   * The maximum size of a response, or of a single event or record in a stream. Default: 256 MiB.
   */
  answerBytesMax?: number | undefined;
}

/** The body of a call besides its input, and its options. */
export type ExecuteOptions = ExecuteRequest & CallOptions;

/**
 * The HTTP API of one daemon. Methods reject with an `AmbitProblem` if the daemon refuses, an
 * `AmbitError` if there is no response, and the reason of an aborted signal. A skill that ran and
 * failed is not an error: see its `outcome`. Requests that are safe to repeat are retried after
 * temporary failures: see `Retries`.
 */
export interface AmbitClient {
  /**
   * Runs a skill. `input` is for protocol `json`; `args` and `stdin` are options. Aborting cancels
   * the call. `Output` is what you know of the output; nothing checks it.
   */
  execute<Output = unknown>(
    skill: string,
    input?: unknown,
    options?: ExecuteOptions,
  ): Promise<ExecuteAnswer<Output>>;
  /** Runs skills one after another. Aborting cancels the chain. */
  chain(chain: ChainRequest, options?: CallOptions): Promise<ChainAnswer>;
  /** Runs independent calls, a few at a time. Aborting cancels them. */
  batch(batch: BatchRequest, options?: CallOptions): Promise<BatchAnswer>;
  /**
   * Runs a skill and yields its events; the last is its `result`. Leaving the loop early cancels
   * the call.
   */
  stream(skill: string, input?: unknown, options?: ExecuteOptions): AsyncGenerator<CallEvent<ExecuteAnswer>>;
  streamChain(chain: ChainRequest, options?: CallOptions): AsyncGenerator<CallEvent<ChainAnswer>>;
  streamBatch(batch: BatchRequest, options?: CallOptions): AsyncGenerator<CallEvent<BatchAnswer>>;
  /**
   * Starts a call and resolves as soon as it is recorded. The call continues independently of this
   * client. See `wait`.
   */
  start(skill: string, input?: unknown, options?: ExecuteOptions): Promise<StartedCall>;
  startChain(chain: ChainRequest, options?: CallOptions): Promise<StartedCall>;
  startBatch(batch: BatchRequest, options?: CallOptions): Promise<StartedCall>;
  /** The status of a call. With `waitSeconds`, at most 60, waits that long for it to end. */
  execution(
    id: string,
    options?: RequestOptions & { waitSeconds?: number | undefined },
  ): Promise<ExecutionStatus>;
  /**
   * The response of a call when it has ended. Aborting only stops waiting. Rejects like the call
   * itself, or with `ANSWER_GONE`.
   */
  wait(id: string, options?: RequestOptions): Promise<CallAnswer>;
  /** The events of an existing call. Leaving the loop does not affect the call. */
  watch(id: string, options?: RequestOptions): AsyncGenerator<CallEvent>;
  /** Cancels a call and returns its status. A finished call is unchanged. */
  cancel(id: string, options?: RequestOptions): Promise<ExecutionStatus>;
  /** The skills that the key may see, and unusable folders. With `limit`, one page. */
  skills(filter?: SkillFilter, options?: RequestOptions): Promise<SkillList>;
  /** A skill: what it is for, what it requests, how to call it, and its files. */
  skill(id: string, options?: RequestOptions): Promise<SkillDetail>;
  /** The skills that a model can be offered as tools, with their schemas. With `limit`, one page. */
  tools(filter?: ToolFilter, options?: RequestOptions): Promise<ToolList>;
  /**
   * The smallest grant that covers what its recorded calls lacked; `since` as in the filters of the log.
   * `execution`: only that call, such as a trial. Needs `audit:read`.
   */
  proposal(
    id: string,
    options?: RequestOptions & { since?: string | number | undefined; execution?: string | undefined },
  ): Promise<Proposal>;
  /** A skill's instructions: its `SKILL.md` without the frontmatter. */
  body(id: string, options?: RequestOptions): Promise<string>;
  /** The list of its files, without their bytes. */
  files(id: string, options?: RequestOptions): Promise<SkillFiles>;
  /** The content of one of its files; `path` as in the list. */
  file(id: string, path: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Composes a prompt with skills. */
  prompt(request: PromptRequest, options?: RequestOptions): Promise<PromptAnswer>;
  /** The configuration in force, with the origin of each value. Needs `admin`, like `keys` and `decide`. */
  configuration(options?: RequestOptions): Promise<readonly ConfigurationValue[]>;
  /** All keys with their rights. */
  keys(options?: RequestOptions): Promise<readonly ListedKey[]>;
  /** Whether a call may use a capability, and the rule that decides. */
  decide(question: PolicyQuestion, options?: RequestOptions): Promise<PolicyDecision>;
  /** The nodes of the cluster; none without one. Needs `metrics`. */
  nodes(options?: RequestOptions): Promise<ClusterNodes>;
  /** The daemon's metrics in Prometheus' text format. */
  metrics(options?: RequestOptions): Promise<string>;
  /**
   * Sends a request to any route whose response is a JSON object, such as
   * `request('GET /skills/:id', { params: { id: 'csv-profile' } })`. Only a `GET` is retried. The client's `timeoutMs` applies
   * unless `options` has one.
   */
  request<Name extends JsonRoute>(
    route: Name,
    input?: RequestInput<Name>,
    options?: RequestOptions,
  ): Promise<ResponseBody<Name>>;
  audit: AuditApi;
  workspaces: WorkspacesApi;
  installs: InstallsApi;
  console: ConsoleApi;
}
