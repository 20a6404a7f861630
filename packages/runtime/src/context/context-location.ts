import type { Sandbox } from '../process/sandbox/sandbox.ts';

/**
 * The location and the limits of gathered context. The operator configures everything except `item`, which
 * belongs to the call.
 */
export interface ContextLocation {
  /** The project folder, an absolute path. Nothing outside it is read, not even through links. */
  root: string;
  /** The known facts about the piece of work, any JSON. Absent: none. */
  item?: unknown;
  /**
   * The folder of phase artefacts, in the project: absolute, or relative to `root`. Absent: none.
   */
  itemFolder?: string | undefined;
  /** The sandbox in which git runs. Absent: a git status is an error; git never runs without a sandbox. */
  sandbox?: Sandbox | undefined;
  /** Absolute paths that are never read and that git never sees: Ambit's data directory. */
  hidden?: readonly string[] | undefined;
  /**
   * Files and folders, relative to `root`, that may be read although their names suggest secrets. A
   * folder includes everything below it. Absent: none.
   */
  allowSecretFiles?: readonly string[] | undefined;
  limits?: Partial<ContextLimits> | undefined;
}

/** Limits on gathered context. */
export interface ContextLimits {
  /** The bytes of a file, a listing or the git status. */
  fileBytes: number;
  /** The bytes of everything, in the order of the requirements. */
  totalBytes: number;
  /** Different requirements; beyond this number they are ignored. */
  requirements: number;
  /** Lines of a listing. */
  entries: number;
  /** Time limit for git. */
  timeoutMs: number;
}

/** The defaults. */
export const contextLimits: ContextLimits = {
  fileBytes: 64 * 1024,
  totalBytes: 256 * 1024,
  requirements: 200,
  entries: 200,
  timeoutMs: 5000,
};
