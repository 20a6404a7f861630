import type { Workspace, WorkspaceFile, WorkspaceOptions, WorkspaceSummary } from '@ambit/client';

/** A key's workspaces in a daemon. Each method rejects with the daemon's error. */
export interface WorkspaceClient {
  create(options: WorkspaceOptions): Promise<Workspace>;
  list(): Promise<readonly WorkspaceSummary[]>;
  show(id: string): Promise<Workspace>;
  put(id: string, path: string, content: Uint8Array): Promise<WorkspaceFile>;
  get(id: string, path: string): Promise<Uint8Array>;
  /** Removes one file, or without a path the whole workspace. */
  remove(id: string, path?: string): Promise<void>;
}
