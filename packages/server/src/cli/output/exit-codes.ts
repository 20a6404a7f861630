import { SkillError, type SkillErrorCode } from '@ambit/core';
import { ConfigError } from '../../config/config-error.ts';
import { CliError, type CliErrorCode } from '../../errors/cli-error.ts';
import { UntrustedError } from '../../trust/untrusted-error.ts';

/** The exit codes of every `ambit` command. The help and docs/cli.md show this table. */
export const exitCodes = {
  0: 'success; for a call, its outcome is succeeded',
  1: 'the skill ran and did not succeed, or its program exited with a code other than 0',
  2: 'the command line, the configuration, a source (SOURCE_MISSING, SOURCE_UNSUPPORTED), the package index (DEPENDENCY_NO_INDEX) or ambit.lock is invalid; nothing was started',
  3: 'refused: CONFIG_UNTRUSTED, CAPABILITY_…, INPUT_INVALID, SKILL_…, other SOURCE_…, INSTALL_NOT_FOUND, REVIEW_REQUIRED, REVIEW_STALE, LOCK_MISMATCH, SIGNATURE_INVALID, TIER_NOT_ALLOWED, NAMESPACE_TAKEN, other DEPENDENCY_…, NODE_DUPLICATED, NODE_RETIRED, INVITATION_INVALID, CLUSTER_INVALID, a workspace that does not exist or is full, a skill that fails validation (or lint, with --strict), cannot be merged or has hidden text, or a log or receipt that fails verification',
  4: 'unavailable: SANDBOX_UNAVAILABLE, PROGRAM_MISSING, SECRET_UNAVAILABLE, AUDIT_UNAVAILABLE, STORE_UNAVAILABLE, LEASE_LOST, MEMORY_SHARE_EXCEEDED, OVERLOADED, SOURCE_UNREACHABLE, NODE_UNUSABLE, or an unusable key, trust store, address, data directory or output',
  5: 'an internal error of Ambit',
  130: 'interrupted by Ctrl-C or SIGTERM; the call was canceled and recorded (serve shuts down and exits with 0)',
} as const;

export type ExitCode = keyof typeof exitCodes;

/** The exit code for anything that a command throws. An unknown error is internal: 5. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof SkillError) return skillErrors[error.code];
  if (error instanceof CliError) return cliErrors[error.code];
  if (error instanceof UntrustedError) return 3;
  return error instanceof ConfigError ? 2 : 5;
}

const skillErrors: Record<SkillErrorCode, ExitCode> = {
  SKILL_NOT_FOUND: 3,
  SKILL_AMBIGUOUS: 3,
  SKILL_NOT_EXECUTABLE: 3,
  SKILL_INVALID: 3,
  SKILL_CHANGED: 3,
  LOCK_MISMATCH: 3,
  SKILL_REVOKED: 3,
  INPUT_INVALID: 3,
  CAPABILITY_DENIED: 3,
  CAPABILITY_UNSUPPORTED: 3,
  SECRET_UNAVAILABLE: 4,
  SANDBOX_UNAVAILABLE: 4,
  PROGRAM_MISSING: 4,
  AUDIT_UNAVAILABLE: 4,
  STORE_UNAVAILABLE: 4,
  WORKSPACE_NOT_FOUND: 3,
  WORKSPACE_FILE_NOT_FOUND: 3,
  WORKSPACE_BUSY: 4,
  WORKSPACE_FULL: 3,
  WORKSPACE_LIMIT: 3,
  LEASE_LOST: 4,
  MEMORY_SHARE_EXCEEDED: 4,
  OVERLOADED: 4,
  INTERNAL: 5,
};

const cliErrors: Record<CliErrorCode, ExitCode> = {
  REVIEW_REQUIRED: 3,
  USAGE_INVALID: 2,
  DAEMON_REFUSED: 3,
  DAEMON_UNREACHABLE: 4,
  DATA_DIR_TAKEN: 4,
  KEY_UNUSABLE: 4,
  TRUST_STORE_UNUSABLE: 4,
  OUTPUT_LOST: 4,
  INTERRUPTED: 130,
  ADDRESS_UNAVAILABLE: 4,
  NODE_UNUSABLE: 4,
  NODE_DUPLICATED: 3,
  NODE_RETIRED: 3,
  INVITATION_INVALID: 3,
  CLUSTER_INVALID: 3,
  INSTALL_NOT_FOUND: 3,
  REVIEW_STALE: 3,
  SIGNATURE_INVALID: 3,
  TIER_NOT_ALLOWED: 3,
  NAMESPACE_TAKEN: 3,
  LOCK_INVALID: 2,
  SOURCE_MISSING: 2,
  SOURCE_UNSUPPORTED: 2,
  SOURCE_UNREACHABLE: 4,
  SOURCE_NOT_ALLOWED: 3,
  SOURCE_DAMAGED: 3,
  SOURCE_UNSAFE_PATH: 3,
  SOURCE_TOO_LARGE: 3,
  DEPENDENCY_UNSUPPORTED: 3,
  DEPENDENCY_NO_INDEX: 2,
  DEPENDENCY_UNRESOLVED: 3,
  DEPENDENCY_NEEDS_BUILD: 3,
  SKILL_UNSAFE_LINK: 3,
  SKILL_SPECIAL_FILE: 3,
  SKILL_UNSAFE_NAME: 3,
  SKILL_NAME_COLLISION: 3,
  SKILL_TOO_LARGE: 3,
};
