import { CodedError, type InstallErrorCode } from '@ambit/core/outcome';

/** A refused source or skill. The message says what happened and what to do. Nothing of it was run. */
export class InstallError extends CodedError<InstallErrorCode> {
  override readonly name = 'InstallError';
}
