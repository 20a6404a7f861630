import type { Workspace, WorkspaceFile, WorkspaceOptions, WorkspaceSummary } from '../api/names.ts';
import type { RequestOptions } from '../request/end-of.ts';

/** The persistent workspaces of the client's key. */
export interface WorkspacesApi {
  create(wishes?: WorkspaceOptions, options?: RequestOptions): Promise<Workspace>;
  list(options?: RequestOptions): Promise<readonly WorkspaceSummary[]>;
  get(id: string, options?: RequestOptions): Promise<Workspace>;
  remove(id: string, options?: RequestOptions): Promise<void>;
  /** The content of a file. */
  read(id: string, path: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Creates or replaces a file, after earlier calls have ended. */
  put(id: string, path: string, content: Uint8Array, options?: RequestOptions): Promise<WorkspaceFile>;
  removeFile(id: string, path: string, options?: RequestOptions): Promise<void>;
}
