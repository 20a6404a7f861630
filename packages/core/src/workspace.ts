/** Rules of workspaces: their contents and bounds, and who may use them. */

export { contentsBounds, pathProblem } from './workspace/check-contents.ts';
export { allBytesOf, digestOf, type FileContent, partBytes, partsOf } from './workspace/file-content.ts';
export { openWorkspaces } from './workspace/open-workspaces.ts';
export { type OwnWorkspaces, ownWorkspaces, type Precondition } from './workspace/own-workspaces.ts';
export { tarBlock, tarEndBytes, tarHeader, tarPadding, tarSum } from './workspace/tar-header.ts';
export { expiresAt, type StoredFile, usedBytes, Workspace } from './workspace/workspace.ts';
export {
  type FileChange,
  foldersOf,
  isWorkspacePath,
  staysInside,
  type WorkspaceEntry,
  type WorkspaceFile,
  withParents,
} from './workspace/workspace-file.ts';
export type { SharedWorkspaces, WorkspaceStorage } from './workspace/workspace-storage.ts';
export type { WorkspaceBounds, Workspaces, WorkspacesLoad } from './workspace/workspaces.ts';
