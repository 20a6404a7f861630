import type { InstallErrorCode } from '@ambit/installs';

/** Why a change of installed skills is refused. */
export type InstallRefusalCode =
  | InstallErrorCode
  /** No skill of this id is installed. */
  | 'INSTALL_NOT_FOUND'
  /** The id belongs to a skill from another source. */
  | 'INSTALL_CONFLICT'
  /** What was reviewed has changed since. */
  | 'REVIEW_STALE'
  /** The lock file cannot be read or written. */
  | 'LOCK_INVALID'
  /** A text that only models can read, which no honest skill needs. */
  | 'SKILL_HIDDEN_TEXT';

/** A refused change of installed skills. The message says what to do. */
export class InstallRefusal extends Error {
  override readonly name = 'InstallRefusal';
  readonly code: InstallRefusalCode;

  constructor(code: InstallRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
