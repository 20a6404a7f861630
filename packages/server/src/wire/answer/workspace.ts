import type { WorkspaceAnswer, WorkspaceFileAnswer, WorkspaceSummary } from '@ambit/api';
import { expiresAt, type StoredFile, usedBytes, type Workspace } from '@ambit/core/workspace';

/** A workspace in a list. */
export function workspaceSummary(workspace: Workspace): WorkspaceSummary {
  const { id, label, quotaBytes, files, createdAt } = workspace;
  return {
    id,
    label,
    quotaBytes,
    usedBytes: usedBytes(workspace),
    fileCount: files.length,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt(workspace)),
  };
}

/** A workspace with its files. */
export function workspaceAnswer(workspace: Workspace): WorkspaceAnswer {
  const { files, links, folders } = workspace;
  return { ...workspaceSummary(workspace), files: files.map(workspaceFileAnswer), links, folders };
}

/** A file of a workspace. */
export function workspaceFileAnswer({ modified, ...file }: StoredFile): WorkspaceFileAnswer {
  return { ...file, modified: iso(modified) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
