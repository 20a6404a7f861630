import type { FileContent } from './file-content.ts';

/** An entry that a caller adds to the workspace before the run, at a normalized path; see `isWorkspacePath`. */
export type WorkspaceEntry = WorkspaceFile | WorkspaceLink | WorkspaceFolder;

/** A file in a workspace. */
export interface WorkspaceFile {
  path: string;
  content: Uint8Array | FileContent;
  /** Absent: it cannot be executed, or the source does not know. */
  executable?: true;
}

/** A symbolic link in a workspace. Its target stays inside; see `staysInside`. */
export interface WorkspaceLink {
  path: string;
  link: string;
}

/** A folder, which is empty unless other entries are below it. */
interface WorkspaceFolder {
  path: string;
  folder: true;
}

/** A file, link or empty folder that a run created, changed or deleted in its workspace. */
export interface FileChange {
  path: string;
  change: 'created' | 'changed' | 'deleted';
  /** The size; 0 for a link, a folder and a deleted file. */
  bytes: number;
  /** `null` if it was deleted, is omitted, or is not a file. */
  content: Uint8Array | FileContent | null;
  /** Whether its user can execute it; absent: no. */
  executable?: true;
  /** The target, if it is a link within the workspace. */
  link?: string;
  /** Present for a folder that is empty, or was. */
  folder?: true;
  /** The reason that the content is omitted: it is not a regular file, it is too large, or there are too many. */
  omitted?: string;
  /**
   * Present if no workspace can store what `omitted` names: a link that leads out, a FIFO, a socket or a device. A workspace
   * stores the rest without it.
   */
  leftOut?: true;
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

/**
 * Whether a link at `path` leads to a place within the workspace, whatever the other links there are: its target is a
 * relative path whose parts `..` are all at its start, and no more than the link is deep. Behind another link, `..` would lead
 * elsewhere than it reads.
 */
export function staysInside({ path, link }: WorkspaceLink): boolean {
  if (link === '' || link.length > pathLengthMax || link.startsWith('/')) return false;
  if (/[\p{Cc}\\\uFFFD]/u.test(link) || !link.isWellFormed()) return false;
  const parts = link.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const steps = up === -1 ? parts.length : up;
  return steps < path.split('/').length && !parts.slice(steps).includes('..');
}

/** The folders that contain a relative path, the innermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at));
  return folders;
}

/** A relative path and the folders that contain it, the outermost first. */
export function withParents(path: string): string[] {
  return [...foldersOf(path).reverse(), path];
}
