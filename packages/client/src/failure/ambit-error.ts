import { AmbitClientError } from './ambit-client-error.ts';

/** The reason why there is no response, other than a refusal. */
export type AmbitErrorCode =
  /**
   * The daemon is unreachable or the connection broke. The request may or may not have been carried
   * out.
   */
  | 'UNREACHABLE'
  /** The server is not Ambit, or not a version that this client knows. */
  | 'NOT_AMBIT'
  /** The response exceeds `answerBytesMax`. */
  | 'ANSWER_TOO_LARGE'
  /** No response within `timeoutMs`. */
  | 'TIMED_OUT'
  /** The call has ended and its response is no longer stored. Its record is in the audit log. */
  | 'ANSWER_GONE';

/**
 * A request without a response. The message says what to do; `cause` is the thrown error, if any.
 */
export class AmbitError extends AmbitClientError {
  override readonly name = 'AmbitError';
  readonly code: AmbitErrorCode;

  constructor(code: AmbitErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The error for a response at `place`, an address, that no daemon sends; `cause` is what was
 * thrown.
 */
export function notAmbit(place: string, options: { cause?: unknown } = {}): AmbitError {
  return new AmbitError('NOT_AMBIT', `the server at ${place} is not Ambit: check the address`, options);
}
