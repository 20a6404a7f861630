/** Why a change of installed skills, or the reading of a source, is refused. */
export const installRefusalCodes = [
  /** No skill of this id is installed. */
  'INSTALL_NOT_FOUND',
  /** What was reviewed has changed since. */
  'REVIEW_STALE',
  /** A signature is missing or not valid. */
  'SIGNATURE_INVALID',
  /** The publisher's skills may not have this tier. */
  'TIER_NOT_ALLOWED',
  /** The namespace that is made from the source is used by skills of another host or owner. */
  'NAMESPACE_TAKEN',
  /** The lock file cannot be read or written. */
  'LOCK_INVALID',
  // Of a source: see `InstallErrorCode`.
  'SOURCE_MISSING',
  'SOURCE_UNSUPPORTED',
  'SOURCE_UNREACHABLE',
  'SOURCE_NOT_ALLOWED',
  'SOURCE_DAMAGED',
  'SOURCE_UNSAFE_PATH',
  'SOURCE_TOO_LARGE',
  'DEPENDENCY_UNSUPPORTED',
  'DEPENDENCY_NO_INDEX',
  'DEPENDENCY_UNRESOLVED',
  'DEPENDENCY_NEEDS_BUILD',
] as const;

export type InstallRefusalCode = (typeof installRefusalCodes)[number];

/** A refused change of installed skills. The message says what to do. */
export class InstallRefusal extends Error {
  override readonly name = 'InstallRefusal';
  readonly code: InstallRefusalCode;

  constructor(code: InstallRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
