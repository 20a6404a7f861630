/** The parts of an error besides its code and its message. */
export interface ErrorDetails {
  /** The underlying error, which is logged and never sent. */
  cause?: unknown;
  /**
   * Data for machines, such as schema issues and denials. It is sent to the caller and stored in the audit log, so it never
   * contains input or secrets.
   */
  details?: Readonly<Record<string, unknown>>;
}

/**
 * An error that Ambit expects: a stable code, and a message that says what happened, why, and what to do. Each package has one
 * class with its own codes. Any other error is a fault in Ambit.
 */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, { cause, details = {} }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** A mistake of the person at the keyboard: an option, an argument, or a file that they named. */
export class UsageError extends CodedError<'USAGE_INVALID'> {
  override readonly name = 'UsageError';

  constructor(message: string, options?: ErrorDetails) {
    super('USAGE_INVALID', message, options);
  }
}
