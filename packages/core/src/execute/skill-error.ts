/**
 * Why Ambit refused a call or could not start it. A skill that started and ended badly is an `Outcome` instead.
 * The codes are stable; each transport has one exhaustive table from code to its own answer.
 */
export const skillErrorCodes = [
  /** No skill of that name is in the catalog. */
  'SKILL_NOT_FOUND',
  /** The skill is there, but it is a prompt skill: it has neither a `run` in its sidecar nor scripts. */
  'SKILL_NOT_EXECUTABLE',
  /** The skill's folder cannot be used as it is: broken frontmatter, sidecar, schema or entry. */
  'SKILL_INVALID',
  /** The skill's files are not those that were read, so nothing has run. The same call reads them again. */
  'SKILL_CHANGED',
  /** Skills that are selected together need one another in a circle; the message names the chain. */
  'SKILL_CYCLE',
  /** The input does not have the shape that the skill's protocol or input schema asks for. */
  'INPUT_INVALID',
  /** The skill requests something that policy does not grant, or the caller tried to widen. */
  'CAPABILITY_DENIED',
  /** Policy grants it, but the executor of this version has no way to enforce it, so it will not run. */
  'CAPABILITY_UNSUPPORTED',
  /** The machine has no working sandbox of the kind that the skill needs. */
  'SANDBOX_UNAVAILABLE',
  /** A program that the skill needs is not installed on this machine; the message names the package, where it is known. */
  'PROGRAM_MISSING',
  /** A secret that the call is granted cannot be had: its variable, file or command gives nothing. */
  'SECRET_UNAVAILABLE',
  /** The audit log cannot be written, and without a record nothing runs. */
  'AUDIT_UNAVAILABLE',
  /** The caller has no such workspace, or it has expired. */
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_FILE_NOT_FOUND',
  /** More calls wait for the workspace than may; the same call may well run later. */
  'WORKSPACE_BUSY',
  /** The workspace cannot hold it: its quota, or how many files it may have. */
  'WORKSPACE_FULL',
  /** The caller has as many workspaces as it may. */
  'WORKSPACE_LIMIT',
  /** As many calls run and wait as may; the same call may well run a moment later. */
  'OVERLOADED',
  /** A fault of Ambit's own. The cause is in its log, under the execution's id. */
  'INTERNAL',
] as const;

export type SkillErrorCode = (typeof skillErrorCodes)[number];

/**
 * A refusal, or a failure to start, with a stable code and a message that says what to do next.
 *
 * `details` is data for machines (schema issues, denials); it is shown to the caller and kept in the audit log, so it
 * never holds input or secrets. `cause` keeps the underlying error, which is logged and never shown.
 */
export class SkillError extends Error {
  override readonly name = 'SkillError';
  readonly code: SkillErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: SkillErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
