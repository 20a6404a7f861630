import type { RefusalCode } from '@ambit/api';
import { CodedError, type ErrorDetails } from '@ambit/core/outcome';

interface RefusalOptions extends ErrorDetails {
  /** The decision that a person can make, with the command. It is printed at a terminal only. */
  decision?: string;
  /** Headers of the HTTP response. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * A request, a change or a command that is refused, or lacks something. Its message says what to do and never contains a key or
 * an input.
 */
export class Refusal<Code extends RefusalCode = RefusalCode> extends CodedError<Code> {
  override readonly name = 'Refusal';
  readonly decision: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, options: RefusalOptions = {}) {
    super(code, message, options);
    this.decision = options.decision;
    this.headers = options.headers ?? {};
  }
}
