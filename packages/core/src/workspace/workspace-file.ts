/** A file that a caller puts into the workspace before the run. */
export interface WorkspaceFile {
  /** Relative to the workspace, in its plain form; see `isWorkspacePath`. */
  path: string;
  content: Uint8Array;
}

/** What a run left different in its workspace. */
export interface FileChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
  /** The size; 0 for what was deleted. */
  bytes: number;
  /** `null` when it was deleted, or `omitted` says why it is not here. */
  content: Uint8Array | null;
  /** Why the content is left out: it is no ordinary file, too large, or there were too many. */
  omitted?: string;
}

const pathLengthMax = 1024;

/** Whether a path names a place inside the workspace: relative, without `.`, `..`, empty parts, NUL or line breaks. */
export function isWorkspacePath(path: string): boolean {
  return (
    path.length > 0 &&
    path.length <= pathLengthMax &&
    !/[\p{Cc}\\]/u.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}
