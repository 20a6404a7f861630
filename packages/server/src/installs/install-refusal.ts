import type { InstallRefusalCode } from '../errors/codes.ts';

/** A refused change of installed skills. The message says what to do. */
export class InstallRefusal extends Error {
  override readonly name = 'InstallRefusal';
  readonly code: InstallRefusalCode;

  constructor(code: InstallRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
