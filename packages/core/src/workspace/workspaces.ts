import type { Actor } from '../audit/event-parts.ts';
import type { FileContent } from './file-content.ts';
import type { StoredFile, Workspace } from './workspace.ts';
import type { WorkspaceLease } from './workspace-lease.ts';

/** Limits on the number, size and lifetime of workspaces. */
export interface WorkspaceBounds {
  /** Per owner. */
  countMax: number;
  /** The default, and the maximum that can be requested. */
  quotaBytes: number;
  quotaBytesMax: number;
  /** Files, links and folders of one workspace. */
  entriesMax: number;
  /** The contents of all workspaces of all owners together. */
  totalBytesMax: number;
  /** From the last use: the default, and the maximum that can be requested. */
  expiresAfterMs: number;
  expiresAfterMsMax: number;
}

/** Options for a new workspace. Defaults come from the bounds. */
export interface WorkspaceOptions {
  quotaBytes?: number | undefined;
  expiresInMs?: number | undefined;
  label?: string | undefined;
}

/** Called, and awaited, before a change is made. If it throws, the change is not made. */
export type BeforeChange = (workspace: Workspace) => Promise<unknown>;

/**
 * Persistent workspaces. Another owner's workspace causes `WORKSPACE_NOT_FOUND`, like an unknown
 * id.
 */
export interface Workspaces {
  /** Oldest first. */
  list(owner: Actor): Promise<readonly Workspace[]>;
  get(owner: Actor, id: string): Promise<Workspace>;
  /**
   * Throws `WORKSPACE_LIMIT` if the owner has too many, and `INPUT_INVALID` for options beyond the
   * bounds. Expired workspaces count until they are removed; if they are in the way they are
   * removed here.
   */
  create(owner: Actor, options: WorkspaceOptions, before: BeforeChange): Promise<Workspace>;
  /**
   * A file as last stored, without waiting for calls. Throws `WORKSPACE_FILE_NOT_FOUND`. Counts as
   * a use. Reading a later part than the first rejects if the file was replaced meanwhile.
   */
  read(owner: Actor, id: string, path: string): Promise<{ file: StoredFile; content: FileContent }>;
  /**
   * Waits until the workspace is free; `undefined` if `signal` aborts first. Throws
   * `WORKSPACE_BUSY` if too many wait.
   */
  enter(owner: Actor, id: string, signal: AbortSignal): Promise<WorkspaceLease | undefined>;
  /**
   * Removes expired workspaces that are not in use. After trying all, rejects with the first error
   * of `beforeExpiry` or the storage.
   */
  sweep(): Promise<void>;
  load(): WorkspacesLoad;
}

/** The number of workspaces of all owners, and their load. */
export interface WorkspacesLoad {
  workspaces: number;
  /** The size of all their files together. */
  bytes: number;
  /** Calls, writes and deletions that wait. */
  waiting: number;
}
