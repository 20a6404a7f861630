import type { WorkspaceEntry } from '@ambit/core/workspace';
import { z } from 'zod';

const Argument = z
  .string()
  .max(32_768)
  .refine((argument) => !argument.includes('\0'), 'an argument cannot contain a NUL character');

/** Send more files than this as an archive. */
const filesMax = 1000;

const Base64 = z.base64('must be base64 with padding');
const path = z.string().max(1024);

const executable = z.literal(true).exactOptional().describe('Lets programs execute the file.');

/** A file for the workspace, as text or as bytes in base64; a link in it; or a folder. */
const GivenEntry = z.union(
  [
    z.strictObject({ path, text: z.string(), executable }),
    z.strictObject({ path, base64: Base64, executable }),
    z.strictObject({ path, link: path.describe('The target of a symbolic link, within the workspace.') }),
    z.strictObject({ path, folder: z.literal(true) }),
  ],
  'each file needs a "path" and one of "text", "base64", "link" and "folder"',
);

/** The arguments of a skill with protocol `command`. */
export const Args = z.array(Argument).max(1000).optional();

/** The name of one of the skill's scripts. */
export const ScriptName = z.string().max(1024).optional();

/** A script and its arguments as one text. */
export const CommandText = z.string().max(65_536).optional();

/** Stdin that is not text; parsed into bytes. */
export const StdinBytes = Base64.optional().transform((text) =>
  text === undefined ? undefined : Buffer.from(text, 'base64'),
);

/** Files to put into a workspace before the run; parsed into bytes. */
export const Files = z
  .array(GivenEntry)
  .max(filesMax)
  .optional()
  .transform((files) => files?.map(workspaceEntry));

function workspaceEntry(given: z.output<typeof GivenEntry>): WorkspaceEntry {
  if ('link' in given || 'folder' in given) return given;
  const content = 'text' in given ? Buffer.from(given.text) : Buffer.from(given.base64, 'base64');
  const { path, executable } = given;
  return executable ? { path, content, executable } : { path, content };
}
