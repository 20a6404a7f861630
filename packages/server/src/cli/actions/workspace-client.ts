import type { Workspace, WorkspaceFile, WorkspaceOptions, WorkspaceSummary } from '@ambit/client';

/** The workspaces of a daemon, of the key that it is asked with. Each rejects with the error that it was there. */
export interface WorkspaceClient {
  create(wishes: WorkspaceOptions): Promise<Workspace>;
  list(): Promise<readonly WorkspaceSummary[]>;
  show(id: string): Promise<Workspace>;
  put(id: string, path: string, content: Uint8Array): Promise<WorkspaceFile>;
  get(id: string, path: string): Promise<Uint8Array>;
  /** One file, or without a path the whole of it. */
  remove(id: string, path?: string): Promise<void>;
}
