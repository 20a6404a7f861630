import type { Sandbox } from '../process/sandbox/sandbox.ts';

/** Where context is gathered, and how much of it. The operator says all of this but `item`, which comes with the call. */
export interface ContextLocation {
  /** The project: an absolute path. Nothing outside of it is read, whatever a link says. */
  root: string;
  /** What is known of the piece of work: any JSON. Absent: nothing. */
  item?: unknown;
  /** Where the artefacts of its phases are: absolute, or relative to `root`, in which it lies. Absent: there are none. */
  itemFolder?: string | undefined;
  /** What git runs in. Absent: a git status is an error, never an unguarded run. */
  sandbox?: Sandbox | undefined;
  /** Absolute paths that are never read, nor seen by git: Ambit's own data directory. */
  hidden?: readonly string[] | undefined;
  /**
   * Files and folders, relative to `root`, that are read although their names say that they hold secrets. A folder stands
   * for everything beneath it. Absent: none.
   */
  allowSecretFiles?: readonly string[] | undefined;
  limits?: Partial<ContextLimits> | undefined;
}

/** How much is gathered. */
export interface ContextLimits {
  /** Of one file, one listing or the git status. */
  fileBytes: number;
  /** Of everything, in the order of the requirements. */
  totalBytes: number;
  /** Different things that are wanted; of more, the first are gathered. */
  requirements: number;
  /** Lines of one listing. */
  entries: number;
  /** For git. */
  timeoutMs: number;
}

/** What holds where nothing else is said. */
export const contextLimits: ContextLimits = {
  fileBytes: 64 * 1024,
  totalBytes: 256 * 1024,
  requirements: 200,
  entries: 200,
  timeoutMs: 5000,
};
