import type { InstallErrorCode } from '@ambit/installs';
import type { InstallRefusalCode } from '../installs/install-refusal.ts';

/** Why a command failed, other than errors of the skill or the configuration. */
export type CliErrorCode =
  /** A source of skills, a skill in it, or a change of installed skills was refused. */
  | InstallRefusalCode
  | InstallErrorCode
  /** Without a terminal, a decision does not name what was shown. */
  | 'REVIEW_REQUIRED'
  /** The command line is invalid, or a file that it names cannot be read. */
  | 'USAGE_INVALID'
  /** The daemon refused the request. `details.code` is its code, `details.status` the HTTP status. */
  | 'DAEMON_REFUSED'
  | 'DAEMON_UNREACHABLE'
  /** Another process uses the data directory, and this command cannot call it. */
  | 'DATA_DIR_TAKEN'
  /** The key file cannot be used. */
  | 'KEY_UNUSABLE'
  /** Other users could have changed the trust store, or it cannot be written. */
  | 'TRUST_STORE_UNUSABLE'
  /** The output cannot be written to stdout. */
  | 'OUTPUT_LOST'
  /** Ctrl-C or SIGTERM. */
  | 'INTERRUPTED'
  /** The data directory, the certificate or the database has no usable node of the cluster. */
  | 'NODE_UNUSABLE'
  /** Another daemon has used this node's identity, or uses it now. */
  | 'NODE_DUPLICATED'
  /** The node was retired, and cannot return. */
  | 'NODE_RETIRED'
  /** The invitation is unknown, used or expired. */
  | 'INVITATION_INVALID'
  /** The database has no cluster, or has one already, or the cluster has no such node. */
  | 'CLUSTER_INVALID'
  /** The address to listen on is in use, does not belong to this machine, or needs more permissions. */
  | 'ADDRESS_UNAVAILABLE';

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
