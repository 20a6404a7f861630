import { expiresAt, type KeptFile, usedBytes, type Workspace } from '@ambit/core';
import { z } from 'zod';

/** The body of `POST /workspaces`; absent: as the configuration has it. */
export const WorkspaceBody = z.strictObject({
  quotaBytes: z.int('write a number of bytes').positive('write a number of bytes above 0').optional(),
  expiresInSeconds: z
    .int('write a number of seconds')
    .positive('write a number of seconds above 0')
    .optional(),
  label: z
    .string()
    .max(200)
    .regex(/^\P{Cc}*$/u, 'a label has no control characters')
    .optional(),
});

/** A file of a workspace, without its bytes. */
export const WorkspaceFileAnswer = z.strictObject({
  path: z.string(),
  bytes: z.int(),
  /** Hex. It is the file's `ETag` too, in quotation marks. */
  sha256: z.string(),
  /** ISO 8601, UTC. */
  modified: z.string(),
});
export type WorkspaceFileAnswer = z.output<typeof WorkspaceFileAnswer>;

/** A workspace in a list. Times are ISO 8601, UTC. */
export const WorkspaceSummary = z.strictObject({
  id: z.string(),
  /** `null`: none. */
  label: z.string().nullable(),
  quotaBytes: z.int(),
  usedBytes: z.int(),
  fileCount: z.int(),
  createdAt: z.string(),
  /** Each use moves it. */
  expiresAt: z.string(),
});
export type WorkspaceSummary = z.output<typeof WorkspaceSummary>;

/** A workspace by itself: with its files, sorted by path. */
export const WorkspaceAnswer = WorkspaceSummary.extend({ files: z.array(WorkspaceFileAnswer) });
export type WorkspaceAnswer = z.output<typeof WorkspaceAnswer>;

/** The answer of `GET /workspaces`: those of the caller's key, oldest first. */
export const WorkspacesAnswer = z.strictObject({ workspaces: z.array(WorkspaceSummary) });
export type WorkspacesAnswer = z.output<typeof WorkspacesAnswer>;

export function workspaceSummary(workspace: Workspace): WorkspaceSummary {
  const { id, label, quotaBytes, files, createdAt } = workspace;
  return {
    ...{ id, label, quotaBytes, usedBytes: usedBytes(workspace), fileCount: files.length },
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt(workspace)),
  };
}

export function workspaceAnswer(workspace: Workspace): WorkspaceAnswer {
  return { ...workspaceSummary(workspace), files: workspace.files.map(workspaceFileAnswer) };
}

export function workspaceFileAnswer({ modified, ...file }: KeptFile): WorkspaceFileAnswer {
  return { ...file, modified: iso(modified) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
