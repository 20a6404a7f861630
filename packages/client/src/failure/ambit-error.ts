/** Why there is no answer, where it is not that the daemon refused. */
export type AmbitErrorCode =
  /** Nobody answers there, or the connection broke: whether the request was carried out is not known. */
  | 'UNREACHABLE'
  /** Whoever answers is not Ambit, or not in a version that this client knows. */
  | 'NOT_AMBIT'
  /** It is longer than `answerBytesMax`. */
  | 'ANSWER_TOO_LARGE'
  /** Not within `timeoutMs`. */
  | 'TIMED_OUT'
  /** A call has ended, and its answer is not kept any more; its record is in the audit log. */
  | 'ANSWER_GONE';

/** A request without an answer. The message says what to do next; `cause` is what was thrown, where something was. */
export class AmbitError extends Error {
  override readonly name = 'AmbitError';
  readonly code: AmbitErrorCode;

  constructor(code: AmbitErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
