import type {
  BatchAnswer,
  BatchRequest,
  ChainAnswer,
  ChainRequest,
  ExecuteAnswer,
  ExecuteRequest,
  ExecutionStatus,
  PromptAnswer,
  PromptRequest,
  SkillDetail,
  SkillFiles,
  SkillFilter,
  SkillList,
} from '../api/names.ts';
import type { AuditApi } from '../audit/audit-api.ts';
import type { CallEvent } from '../call/call-event.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { CallAnswer } from '../call/call-request.ts';
import type { StartedCall } from '../call/request-call.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { Retries } from '../request/retries.ts';
import type { WorkspacesApi } from '../workspaces/workspaces-api.ts';

/** Which daemon, and how it is spoken to. */
export interface AmbitClientOptions {
  /** Where it listens: `http://127.0.0.1:7433`. */
  url: string;
  /** Absent: only what needs no key is answered. */
  key?: string | undefined;
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Ends everything that this client does, and is what it rejects with. */
  signal?: AbortSignal | undefined;
  /** For requests that no skill and no whole log holds up; 30 seconds unless it is given. */
  timeoutMs?: number | undefined;
  /** What is absent is as in `usualRetries`. */
  retries?: Partial<Retries> | undefined;
  /** A stream that says nothing for so long is taken for cut; 45 seconds unless it is given: the daemon says something every 15. */
  silenceMs?: number | undefined;
  /** No answer is read that is longer, and no single event or record of one that has many; 256 MiB unless it is given. */
  answerBytesMax?: number | undefined;
}

/** What a call may bring, and how it is made. */
export type ExecuteOptions = ExecuteRequest & CallOptions;

/**
 * The HTTP API of one daemon. Every method rejects with an `AmbitProblem` when the daemon refuses, an `AmbitError` when
 * there is no answer, and the reason of a signal that was aborted. A skill that ran and ended badly is no error: its
 * `outcome` says how. What is safe to send again is, after a failure that may pass: see `Retries`.
 */
export interface AmbitClient {
  /** Runs a skill. `input` is for protocol `json`; `args` and `stdin` are options. Aborting cancels the call. */
  execute(skill: string, input?: unknown, options?: ExecuteOptions): Promise<ExecuteAnswer>;
  /** Runs skills one after another. Aborting cancels it. */
  chain(chain: ChainRequest, options?: CallOptions): Promise<ChainAnswer>;
  /** Runs calls that do not depend on each other, a few at a time. Aborting cancels them. */
  batch(batch: BatchRequest, options?: CallOptions): Promise<BatchAnswer>;
  /** Runs a skill and tells what happens; the last event is its `result`. A loop that is left early cancels the call. */
  stream(skill: string, input?: unknown, options?: ExecuteOptions): AsyncGenerator<CallEvent<ExecuteAnswer>>;
  streamChain(chain: ChainRequest, options?: CallOptions): AsyncGenerator<CallEvent<ChainAnswer>>;
  streamBatch(batch: BatchRequest, options?: CallOptions): AsyncGenerator<CallEvent<BatchAnswer>>;
  /** Begins a call and resolves as soon as it is recorded: it goes on whatever becomes of this client. See `wait`. */
  start(skill: string, input?: unknown, options?: ExecuteOptions): Promise<StartedCall>;
  startChain(chain: ChainRequest, options?: CallOptions): Promise<StartedCall>;
  startBatch(batch: BatchRequest, options?: CallOptions): Promise<StartedCall>;
  /** How a call stands; with `waitSeconds`, at most 60, after it has had so long to end. */
  execution(
    id: string,
    options?: RequestOptions & { waitSeconds?: number | undefined },
  ): Promise<ExecutionStatus>;
  /** The answer of a call, when it has ended. Aborting ends the waiting alone. Rejects as the call itself, and with `ANSWER_GONE`. */
  wait(id: string, options?: RequestOptions): Promise<CallAnswer>;
  /** What happens in a call that was begun before. Leaving it leaves the call alone. */
  watch(id: string, options?: RequestOptions): AsyncGenerator<CallEvent>;
  /** Cancels a call, and says how it stands then. One that has ended stays as it is. */
  cancel(id: string, options?: RequestOptions): Promise<ExecutionStatus>;
  /** The skills that the key may see, and the folders that cannot be used; a page of them where `limit` says so. */
  skills(filter?: SkillFilter, options?: RequestOptions): Promise<SkillList>;
  skill(id: string, options?: RequestOptions): Promise<SkillDetail>;
  /** A skill's instructions: its `SKILL.md` without the frontmatter. */
  body(id: string, options?: RequestOptions): Promise<string>;
  files(id: string, options?: RequestOptions): Promise<SkillFiles>;
  /** What is in one of them; `path` as the list has it. */
  file(id: string, path: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Skills put into a prompt. */
  prompt(request: PromptRequest, options?: RequestOptions): Promise<PromptAnswer>;
  /** The daemon's figures, in Prometheus' text format. */
  metrics(options?: RequestOptions): Promise<string>;
  audit: AuditApi;
  workspaces: WorkspacesApi;
}
