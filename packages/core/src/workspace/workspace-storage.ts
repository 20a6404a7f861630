import type { Workspace } from './workspace.ts';

/**
 * Stores workspaces. A workspace's record is replaced atomically and its contents are stored by
 * digest, so that either the old or the new state exists, never a mixture. Nothing else writes
 * there.
 */
export interface WorkspaceStorage {
  /** Every stored workspace, without leftovers of interrupted changes. */
  load(): Promise<Workspace[]>;
  /** Stores these bytes durably. They are unused until a record names them. */
  store(id: string, sha256: string, content: Uint8Array): Promise<void>;
  /** The stored bytes. Rejects if they are missing or altered. */
  read(id: string, sha256: string): Promise<Uint8Array>;
  /** Replaces the workspace's record, durably and atomically. */
  write(workspace: Workspace): Promise<void>;
  /** Removes contents that the workspace's record does not name. */
  tidy(workspace: Workspace): Promise<void>;
  /** Removes the workspace and its contents atomically. */
  remove(id: string): Promise<void>;
}
