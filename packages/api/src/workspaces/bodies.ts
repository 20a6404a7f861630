import { z } from 'zod';

/** A file of a workspace, without its bytes. */
export const WorkspaceFileAnswer = z
  .strictObject({
    path: z.string(),
    bytes: z.int(),
    sha256: z.string().describe('Hex. Its `ETag` is the same in quotation marks.'),
    modified: z.iso.datetime().describe('When its content last changed.'),
    executable: z.literal(true).exactOptional().describe('Present if its user can execute it.'),
  })
  .meta({ id: 'WorkspaceFile', description: 'A file of a workspace, without its bytes.' });
export type WorkspaceFileAnswer = z.output<typeof WorkspaceFileAnswer>;

const summary = {
  id: z.string(),
  label: z.string().nullable(),
  quotaBytes: z.int().describe('The limit for all files together.'),
  usedBytes: z.int(),
  fileCount: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().describe('Each use extends it.'),
};

/** A workspace in a list. */
export const WorkspaceSummary = z
  .strictObject(summary)
  .meta({ id: 'WorkspaceSummary', description: 'A workspace in a list.' });
export type WorkspaceSummary = z.output<typeof WorkspaceSummary>;

/** A workspace with its files. */
export const WorkspaceAnswer = z
  .strictObject({
    ...summary,
    files: z.array(WorkspaceFileAnswer).describe('Sorted by path.'),
    links: z
      .array(z.strictObject({ path: z.string(), link: z.string().describe('Its target.') }))
      .describe('Symbolic links, which lead to places within the workspace.'),
    folders: z.array(z.string()).describe('Empty folders.'),
  })
  .meta({ id: 'Workspace', description: 'A workspace with its files.' });
export type WorkspaceAnswer = z.output<typeof WorkspaceAnswer>;

/** The response of `GET /workspaces`. */
export const WorkspacesAnswer = z
  .strictObject({
    workspaces: z.array(WorkspaceSummary).describe('The workspaces of this key, oldest first.'),
  })
  .meta({ id: 'Workspaces', description: 'The workspaces of a key.' });
export type WorkspacesAnswer = z.output<typeof WorkspacesAnswer>;

/** Matches the same texts with and without the `u` flag, which JSON Schema asks for and many clients leave out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a label cannot contain
const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** The body of `POST /workspaces`. Absent fields use the configured defaults. */
export const WorkspaceBody = z.strictObject({
  quotaBytes: z
    .int('must be a whole number of bytes')
    .positive('must be at least 1 byte')
    .optional()
    .describe('The limit for all files together.'),
  expiresInSeconds: z
    .int('must be a whole number of seconds')
    .positive('must be at least 1 second')
    .optional()
    .describe('How long after its last use it expires.'),
  label: z
    .string()
    .max(200)
    .regex(noControlCharacters, 'a label cannot contain control characters')
    .optional()
    .describe('A label for its owner.'),
});
