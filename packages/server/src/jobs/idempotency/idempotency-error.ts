/** Why a call with an idempotency key neither runs nor gets a stored response. */
export type IdempotencyProblem =
  /** The key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** The first call's response is not stored: the call was interrupted, or the response did not fit. */
  | 'IDEMPOTENCY_INTERRUPTED'
  /** Claims cannot be written or read. */
  | 'STORE_UNAVAILABLE';

/** `executionId` identifies the call that has the key. */
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
