import { expiresAt, type StoredFile, usedBytes, type Workspace } from '@ambit/core/internal';
import type { WorkspaceAnswer, WorkspaceFileAnswer, WorkspaceSummary } from './workspace.ts';

/** A workspace as it is listed. */
export function workspaceSummary(workspace: Workspace): WorkspaceSummary {
  const { id, label, quotaBytes, files, createdAt } = workspace;
  return {
    ...{ id, label, quotaBytes, usedBytes: usedBytes(workspace), fileCount: files.length },
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt(workspace)),
  };
}

/** A workspace as it is shown. */
export function workspaceAnswer(workspace: Workspace): WorkspaceAnswer {
  return { ...workspaceSummary(workspace), files: workspace.files.map(workspaceFileAnswer) };
}

/** A file as it is listed. */
export function workspaceFileAnswer({ modified, ...file }: StoredFile): WorkspaceFileAnswer {
  return { ...file, modified: iso(modified) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
