/** Why a call with an idempotency key is not run, and not answered with what a call before it came to. */
export type IdempotencyProblem =
  /** The key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** The answer of the call that claimed it is not kept: it was broken off, or there was no room. */
  | 'IDEMPOTENCY_INTERRUPTED'
  /** No claim can be written, or none can be read. */
  | 'IDEMPOTENCY_UNAVAILABLE';

/** `executionId` is the one of the call that has the key. */
export class IdempotencyError extends Error {
  override readonly name = 'IdempotencyError';
  readonly code: IdempotencyProblem;
  readonly executionId: string | undefined;

  constructor(
    code: IdempotencyProblem,
    message: string,
    { executionId, cause }: { executionId?: string; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.executionId = executionId;
  }
}
