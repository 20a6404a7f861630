/** The reason why a call with an idempotency key neither runs nor gets a stored response. */
export type IdempotencyProblem =
  /** The key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** The first call's response is not stored: the call was interrupted, or the response did not fit. */
  | 'IDEMPOTENCY_INTERRUPTED';

/** `executionId` identifies the call that has the key. */
export class IdempotencyError extends Error {
  override readonly name = 'IdempotencyError';
  readonly code: IdempotencyProblem;
  readonly executionId: string;

  constructor(code: IdempotencyProblem, message: string, executionId: string) {
    super(message);
    this.code = code;
    this.executionId = executionId;
  }
}
