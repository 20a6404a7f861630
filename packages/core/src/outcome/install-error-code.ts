/** The code of a refusal of a source or of one of its skills. Codes are stable. */
export type InstallErrorCode =
  /** The source does not exist or cannot be read. */
  | 'SOURCE_MISSING'
  /** No kind of source that Ambit reads, or an archive with features that it does not read. */
  | 'SOURCE_UNSUPPORTED'
  /** A repository, an archive or a server did not answer as it should. */
  | 'SOURCE_UNREACHABLE'
  /** The network that the source needs is not allowed by `installs.network`. */
  | 'SOURCE_NOT_ALLOWED'
  /** The archive or repository is cut short, damaged, or not what was asked for. */
  | 'SOURCE_DAMAGED'
  /** An entry would be written outside the folder of the archive. */
  | 'SOURCE_UNSAFE_PATH'
  /** More entries or bytes than Ambit reads. */
  | 'SOURCE_TOO_LARGE'
  /** A declared package is given by a URL or a path, or is not written as a requirement. */
  | 'DEPENDENCY_UNSUPPORTED'
  /** A package is needed, and no index is configured for it. */
  | 'DEPENDENCY_NO_INDEX'
  /** The index has no versions that meet all requirements. */
  | 'DEPENDENCY_UNRESOLVED'
  /** A package has only its source, and may not be built. */
  | 'DEPENDENCY_NEEDS_BUILD'
  /** A link leads out of the source, to a hidden file, to nothing or in a circle. */
  | 'SKILL_UNSAFE_LINK'
  /** A device, a pipe or another special file. */
  | 'SKILL_SPECIAL_FILE'
  /** A name that is too long or has control characters. */
  | 'SKILL_UNSAFE_NAME'
  /** Two names that some file systems do not distinguish. */
  | 'SKILL_NAME_COLLISION'
  /** More files or bytes than a skill may have. */
  | 'SKILL_TOO_LARGE';
