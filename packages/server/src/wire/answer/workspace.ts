import type { WorkspaceEnd } from '@ambit/core/internal';
import { z } from 'zod';

/** What became of a workspace by a call. */
export const AnsweredWorkspaceEnd = z
  .union([
    z.strictObject({
      id: z.string(),
      kept: z.literal(true),
      usedBytes: z.number().describe('The contents of all its files together.'),
    }),
    z.strictObject({ id: z.string(), kept: z.literal(false), why: z.string() }),
  ])
  .meta({
    id: 'WorkspaceEnd',
    description: 'What became of the workspace: all that the run left is kept, or nothing of it.',
  }) satisfies z.ZodType<WorkspaceEnd>;

/** A file of a workspace, without its bytes. */
export const WorkspaceFileAnswer = z
  .strictObject({
    path: z.string(),
    bytes: z.int(),
    sha256: z.string().describe("Hex. It is the file's `ETag` too, in quotation marks."),
    modified: z.iso.datetime().describe('When it got these bytes.'),
  })
  .meta({ id: 'WorkspaceFile', description: 'A file of a workspace, without its bytes.' });
export type WorkspaceFileAnswer = z.output<typeof WorkspaceFileAnswer>;

const summary = {
  id: z.string(),
  label: z.string().nullable(),
  quotaBytes: z.int().describe('For the contents of all files together.'),
  usedBytes: z.int(),
  fileCount: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().describe('Each use moves it.'),
};

/** A workspace in a list. */
export const WorkspaceSummary = z
  .strictObject(summary)
  .meta({ id: 'WorkspaceSummary', description: 'A workspace in a list.' });
export type WorkspaceSummary = z.output<typeof WorkspaceSummary>;

/** A workspace by itself. */
export const WorkspaceAnswer = z
  .strictObject({ ...summary, files: z.array(WorkspaceFileAnswer).describe('By path.') })
  .meta({ id: 'Workspace', description: 'A workspace with its files.' });
export type WorkspaceAnswer = z.output<typeof WorkspaceAnswer>;

/** The answer of `GET /workspaces`. */
export const WorkspacesAnswer = z
  .strictObject({ workspaces: z.array(WorkspaceSummary).describe('Those of the key, oldest first.') })
  .meta({ id: 'Workspaces', description: 'The workspaces of a key.' });
export type WorkspacesAnswer = z.output<typeof WorkspacesAnswer>;
