/** Why a command could not do its work, where it is neither the skill's nor the configuration's fault. */
export type CliErrorCode =
  /** The command line is wrong, or a file that it names cannot be read. */
  | 'USAGE_INVALID'
  /** The daemon answered with a refusal of its own: `details.code` has its code, `details.status` its status. */
  | 'DAEMON_REFUSED'
  | 'DAEMON_UNREACHABLE'
  /** Somebody else has the data directory, and this cannot go through them. */
  | 'DATA_DIR_TAKEN'
  /** The key's file is not used as it is. */
  | 'KEY_UNUSABLE'
  /** The trust store could have been changed by others, or cannot be written. */
  | 'TRUST_STORE_UNUSABLE'
  /** What the command answers with cannot be written to stdout. */
  | 'OUTPUT_LOST'
  /** Ctrl-C or SIGTERM. */
  | 'INTERRUPTED'
  /** The address to listen on is taken, is not this machine's, or needs more rights. */
  | 'ADDRESS_UNAVAILABLE';

/** A failure of a command, with a stable code and a message that says what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: CliErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
