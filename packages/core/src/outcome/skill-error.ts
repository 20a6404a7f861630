import { CodedError } from './coded-error.ts';

/**
 * The reasons for which Ambit refuses a call or cannot start it. A skill that started and failed has an `Outcome`
 * instead. Codes are stable; each transport maps every code to a response.
 */
export const skillErrorCodes = [
  /** The catalog has no skill of this name. */
  'SKILL_NOT_FOUND',
  /** Several skills have this name, in different namespaces. The message lists their ids. */
  'SKILL_AMBIGUOUS',
  /** A prompt skill: it has no scripts and no `run` in its sidecar. */
  'SKILL_NOT_EXECUTABLE',
  /** The skill has a broken frontmatter, sidecar, schema or entry. */
  'SKILL_INVALID',
  /** The skill's files changed after they were read, so nothing ran. A retry reads them again. */
  'SKILL_CHANGED',
  /** The files of an installed skill are not what the lock file says, or are missing. */
  'LOCK_MISMATCH',
  /** The operator has revoked this version of the skill, or its publisher. */
  'SKILL_REVOKED',
  /** The input does not match the skill's protocol or input schema. */
  'INPUT_INVALID',
  /** The skill requests something that is not granted, or the caller tried to widen the grant. */
  'CAPABILITY_DENIED',
  /** It is granted, but the executor cannot enforce it, so the skill does not run. */
  'CAPABILITY_UNSUPPORTED',
  /** This machine lacks a working sandbox of the kind that the skill needs. */
  'SANDBOX_UNAVAILABLE',
  /**
   * A program that the skill needs is not installed. The message names the package if it is known.
   */
  'PROGRAM_MISSING',
  /** A granted secret is unavailable: its variable, file or command yields nothing. */
  'SECRET_UNAVAILABLE',
  /** The audit log cannot be written. Nothing runs without a record. */
  'AUDIT_UNAVAILABLE',
  /** The store of idempotency keys, workspaces and skill state cannot be read or written. */
  'STORE_UNAVAILABLE',
  /** The caller has no such workspace, or it has expired. */
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_FILE_NOT_FOUND',
  /** Too many calls wait for the workspace. A retry may succeed. */
  'WORKSPACE_BUSY',
  /** The workspace has reached its quota or its number of files. */
  'WORKSPACE_FULL',
  /** The caller has reached its number of workspaces. */
  'WORKSPACE_LIMIT',
  /** This node of a cluster takes no calls: it cannot renew its lease, or is being drained. Another node may. */
  'LEASE_LOST',
  /** The call needs more memory than all runs of this machine share. */
  'MEMORY_SHARE_EXCEEDED',
  /** The queue is full. A retry may succeed. */
  'OVERLOADED',
  /** A fault in Ambit. Its log has the cause under the execution id. */
  'INTERNAL',
] as const;

/** One of `skillErrorCodes`. */
export type SkillErrorCode = (typeof skillErrorCodes)[number];

/** A call that was refused or could not start. */
export class SkillError extends CodedError<SkillErrorCode> {
  override readonly name = 'SkillError';
}
