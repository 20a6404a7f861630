/** One file in a skill's folder. */
export interface CheckedFile {
  /** Relative, with forward slashes. */
  path: string;
  isLink: boolean;
  /** Whether it is a link that leaves the folder or is broken. */
  leavesFolder: boolean;
  /** Whether it is a link to a hidden file of the folder, which is not part of the skill. */
  leadsToHidden?: boolean;
  /**
   * For a file whose name ends in `.wasm`: why it is not a usable module, as a predicate of its
   * name.
   */
  noModule?: string | undefined;
  /** The imports and exports of the module; absent if it is unreadable. */
  module?: CheckedModule | undefined;
}

/** The imports and exports of a WebAssembly module that determine what a skill can call. */
export interface CheckedModule {
  /** Whether it imports Extism's functions. */
  isPlugin: boolean;
  /** Whether it exports `_start`. */
  hasStart: boolean;
  /** The exported functions that a sidecar can name. */
  functions: readonly string[];
}

/** A skill's folder, as strict validation reads it. */
export interface SkillFolder {
  /** The folder's own name. */
  name: string;
  files: readonly CheckedFile[];
  /** Paths of hidden files and folders, which are not part of the skill. Absent: none. */
  hidden?: readonly string[];
  /** The text of its `SKILL.md`. */
  skillMd: string;
  /** The text of its `ambit.yaml`; `undefined` if it has none. */
  sidecar: string | undefined;
}

/** A skill's folder, as linting reads it. */
export interface LintedFolder extends SkillFolder {
  /**
   * Texts of other files by path, which may mention files. Excludes files that are too long or
   * binary.
   */
  texts: Readonly<Record<string, string>>;
}
