import type { CliErrorCode } from './codes.ts';

/** A failed command: a stable code, and a message that says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** What a person can decide, with the command. It is printed at a terminal only. */
  readonly decision: string | undefined;

  constructor(
    code: CliErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>>; decision?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.decision = options.decision;
  }
}
