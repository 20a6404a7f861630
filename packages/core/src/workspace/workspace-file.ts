/** A file that a caller adds to the workspace before the run. */
export interface WorkspaceFile {
  /** A normalized path relative to the workspace; see `isWorkspacePath`. */
  path: string;
  content: Uint8Array;
}

/** A file that a run created, changed or deleted in its workspace. */
export interface FileChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
  /** The size; 0 for a deleted file. */
  bytes: number;
  /** `null` if it was deleted or is omitted. */
  content: Uint8Array | null;
  /** Why the content is omitted: it is not a regular file, it is too large, or there are too many. */
  omitted?: string;
  /** Present if the path or the content has a secret of the skill, which is redacted in them. */
  redacted?: true;
}

const pathLengthMax = 1024;

/** Whether a path stays inside the workspace: relative, without `.`, `..`, empty parts, NUL or line breaks. */
export function isWorkspacePath(path: string): boolean {
  return (
    path.length > 0 &&
    path.length <= pathLengthMax &&
    !/[\p{Cc}\\]/u.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}
