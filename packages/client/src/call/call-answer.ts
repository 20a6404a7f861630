import type { RequestBody, ResponseBody } from '../request/routes.ts';

type Skill = ResponseBody<'POST /skills/:id/execute'>;
type Succeeded = Extract<Skill['outcome'], { status: 'succeeded' }>;

/** The end of a run: a union by `status`. */
export type Outcome<Output = unknown> =
  | Exclude<Skill['outcome'], Succeeded>
  | (Omit<Succeeded, 'output'> & { output: Output });

/**
 * The response to a call that ran; `outcome.status` says how it ended. `Output` is the type of the output of a call that
 * succeeded.
 */
export type ExecuteAnswer<Output = unknown> = Omit<Skill, 'outcome'> & { outcome: Outcome<Output> };

/** The response to a chain, up to the last link that ran. */
export type ChainAnswer = ResponseBody<'POST /chain'>;

/** The responses to a batch, in the order of its calls. */
export type BatchAnswer = ResponseBody<'POST /batch'>;

/** The response to a request that starts a call and waits for it. */
export type CallAnswer = ExecuteAnswer | ChainAnswer | BatchAnswer;

/** The resources that a run consumed; `null` if the daemon's platform cannot measure them. */
export type Usage = Skill['usage'];

/** The used part of a run's grant; `null` if the daemon's platform cannot measure it. */
export type UsedCapabilities = Skill['used'];

/** A file that a run created, changed or deleted in its workspace. */
export type FileChange = NonNullable<Skill['files']>[number];

/** A call or chain that is running or has run. */
export type ExecutionStatus = ResponseBody<'GET /executions/:id'>;

/** The options of a call. Its input is an argument. */
export type ExecuteRequest = Omit<RequestBody<'POST /skills/:id/execute'>, 'input'>;

/** Calls that run one after another, each with the results of earlier ones. */
export type ChainRequest = RequestBody<'POST /chain'>;

/** Independent calls. */
export type BatchRequest = RequestBody<'POST /batch'>;
