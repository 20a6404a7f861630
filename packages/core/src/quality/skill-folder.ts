/** One file below a skill's folder. */
export interface CheckedFile {
  /** Relative, with forward slashes. */
  path: string;
  isLink: boolean;
  /** A link that leads elsewhere, or nowhere. */
  leavesFolder: boolean;
  /** A link that leads to a hidden file of the folder, which is no part of the skill. */
  leadsToHidden?: boolean;
  /** Of a file whose name ends in `.wasm`: why it is no module that can run, going on from its name. */
  noModule?: string | undefined;
  /** Of a module: what it shows of itself; absent where that cannot be read. */
  module?: CheckedModule | undefined;
}

/** What a WebAssembly module imports and exports, as far as it says what a skill can call. */
export interface CheckedModule {
  /** Whether it imports Extism's functions. */
  isPlugin: boolean;
  /** Whether it exports `_start`. */
  hasStart: boolean;
  /** The exported functions that a sidecar can name. */
  functions: readonly string[];
}

/** A skill's folder, as far as strict checking reads it. */
export interface SkillFolder {
  /** The folder's own name. */
  name: string;
  files: readonly CheckedFile[];
  /** Paths of hidden files and folders, which are no part of the skill. Absent: none. */
  hidden?: readonly string[];
  /** The text of its `SKILL.md`. */
  skillMd: string;
  /** The text of its `ambit.yaml`; `undefined` when it has none. */
  sidecar: string | undefined;
}

/** A skill's folder as advice looks at it. */
export interface LintedFolder extends SkillFolder {
  /** Texts of further files, by path: where a file can be mentioned. What is too long or no text is left out. */
  texts: Readonly<Record<string, string>>;
}
