import type { Actor } from '../audit/event-parts.ts';
import type { FileContent } from './file-content.ts';
import type { StoredFile, Workspace } from './workspace.ts';

/**
 * Stores workspaces: a record each, and the contents of its files by digest. A change is two durable steps, so that only
 * the small one is left to do when the audit log has the change. Every method can be repeated after it has failed.
 */
export interface WorkspaceStorage {
  /** Every stored workspace. */
  load(): Promise<Workspace[]>;
  /** A stored file, whose parts are read when they are needed. */
  content(id: string, file: Pick<StoredFile, 'sha256' | 'bytes'>): FileContent;
  /** Stores contents, by digest, which the next record names. Removes what an interrupted change has left. */
  prepare(id: string, contents: ReadonlyMap<string, Uint8Array | FileContent>): Promise<void>;
  /** Replaces the workspace's record in one step, then removes the contents that it does not name. */
  write(workspace: Workspace): Promise<void>;
  /** The bytes that the records of all workspaces but one name. */
  bytesBesides(id: string): Promise<number>;
  /** Removes the workspace and its contents in one step. */
  remove(id: string): Promise<void>;
  /**
   * Present if other nodes use the storage too. Then a node writes only what it holds; otherwise writing rejects with
   * `STORE_UNAVAILABLE` and the detail `isHeld: false`.
   */
  shared?: SharedWorkspaces | undefined;
}

/** A workspace, and whether this node holds it. */
export interface FoundWorkspace {
  record: Workspace;
  isHeld: boolean;
}

/** Workspaces that several nodes use, one at a time. */
export interface SharedWorkspaces {
  /**
   * Waits until no other node holds the workspace, and holds it until `drop`. Resolves to its record, `null` if it does not
   * exist, and to whether this node has held it all the time since its last `hold`; to `undefined` if `signal` aborts first.
   */
  hold(id: string, signal: AbortSignal): Promise<{ record: Workspace | null; isKept: boolean } | undefined>;
  /** Lets other nodes hold it. */
  drop(id: string): Promise<void>;
  find(id: string): Promise<FoundWorkspace | undefined>;
  listOf(owner: Actor): Promise<readonly FoundWorkspace[]>;
}
