import type { Workspace } from './workspace.ts';

/**
 * Where workspaces lie. A workspace's record is exchanged whole, and its contents are kept by their digests beside it, so
 * that there is the old state or the new one and never a mixture. Nobody else writes there.
 */
export interface WorkspaceStorage {
  /** Every workspace that is kept, without what an interrupted change has left. */
  load(): Promise<Workspace[]>;
  /** Makes these bytes durable. They belong to nothing until a record names them. */
  keep(id: string, sha256: string, content: Uint8Array): Promise<void>;
  /** What was kept. Rejects when it is not there, or is not what was kept. */
  read(id: string, sha256: string): Promise<Uint8Array>;
  /** Makes this the workspace's record: durable when it resolves, and at once or not at all. */
  write(workspace: Workspace): Promise<void>;
  /** Removes the contents that the workspace's record does not name. */
  tidy(workspace: Workspace): Promise<void>;
  /** Removes the workspace with all that is in it: at once or not at all. */
  remove(id: string): Promise<void>;
}
