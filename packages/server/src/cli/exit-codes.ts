import { SkillError, type SkillErrorCode } from '@ambit/core';
import { ConfigError } from '../config/config-error.ts';
import { UntrustedError } from '../config/untrusted-error.ts';
import { CliError, type CliErrorCode } from './cli-error.ts';

/** What the exit code of every `ambit` command means. The help and docs/cli.md print this table. */
export const exitCodes = {
  0: 'done; of a call: its outcome is succeeded',
  1: 'the skill ran and did not succeed, or its program ended with a code other than 0',
  2: 'the command line or the configuration is wrong; nothing was started',
  3: 'refused: CONFIG_UNTRUSTED, CAPABILITY_…, INPUT_INVALID, SKILL_…, a workspace that is not there or full, a skill that does not validate (or lint, with --strict) or cannot be merged, or a log or receipt that does not verify',
  4: 'this machine cannot: SANDBOX_UNAVAILABLE, PROGRAM_MISSING, SECRET_UNAVAILABLE, AUDIT_UNAVAILABLE, OVERLOADED, a key, a trust store, an address, a data directory or an output that cannot be used',
  5: 'a fault of Ambit itself',
  130: 'interrupted by Ctrl-C or SIGTERM; the call was canceled and recorded (serve stops in order, with 0)',
} as const;

export type ExitCode = keyof typeof exitCodes;

/** The exit code for anything that a command throws. What nobody foresaw is a fault of ours. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof SkillError) return skillErrors[error.code];
  if (error instanceof CliError) return cliErrors[error.code];
  if (error instanceof UntrustedError) return 3;
  return error instanceof ConfigError ? 2 : 5;
}

const skillErrors: Record<SkillErrorCode, ExitCode> = {
  SKILL_NOT_FOUND: 3,
  SKILL_NOT_EXECUTABLE: 3,
  SKILL_INVALID: 3,
  SKILL_CHANGED: 3,
  SKILL_CYCLE: 3,
  INPUT_INVALID: 3,
  CAPABILITY_DENIED: 3,
  CAPABILITY_UNSUPPORTED: 3,
  SECRET_UNAVAILABLE: 4,
  SANDBOX_UNAVAILABLE: 4,
  PROGRAM_MISSING: 4,
  AUDIT_UNAVAILABLE: 4,
  WORKSPACE_NOT_FOUND: 3,
  WORKSPACE_FILE_NOT_FOUND: 3,
  WORKSPACE_BUSY: 4,
  WORKSPACE_FULL: 3,
  WORKSPACE_LIMIT: 3,
  OVERLOADED: 4,
  INTERNAL: 5,
};

const cliErrors: Record<CliErrorCode, ExitCode> = {
  USAGE_INVALID: 2,
  DAEMON_REFUSED: 3,
  DAEMON_UNREACHABLE: 4,
  DATA_DIR_TAKEN: 4,
  KEY_UNUSABLE: 4,
  TRUST_STORE_UNUSABLE: 4,
  OUTPUT_LOST: 4,
  INTERRUPTED: 130,
  ADDRESS_UNAVAILABLE: 4,
};
