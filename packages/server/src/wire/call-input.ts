import type { WorkspaceFile } from '@ambit/core/internal';
import { z } from 'zod';

const Argument = z
  .string()
  .max(32_768)
  .refine((argument) => !argument.includes('\0'), 'an argument cannot contain a NUL character');

/** Send more files than this as an archive. */
const filesMax = 1000;

const Base64 = z.base64('must be base64 with padding');
const path = z.string().max(1024);

/** A file for the workspace: as text, or as bytes in base64. */
const GivenFile = z.union(
  [z.strictObject({ path, text: z.string() }), z.strictObject({ path, base64: Base64 })],
  'each file needs a "path" and either "text" or "base64"',
);

/** The arguments of a skill with protocol `command`. */
export const Args = z.array(Argument).max(1000).optional();

/** The name of one of the skill's scripts. */
export const ScriptName = z.string().max(1024).optional();

/** A script and its arguments as one text. */
export const CommandText = z.string().max(65_536).optional();

/** Files to put into a workspace before the run; parsed into bytes. */
export const Files = z
  .array(GivenFile)
  .max(filesMax)
  .optional()
  .transform((files) => files?.map(workspaceFile));

function workspaceFile(given: z.output<typeof GivenFile>): WorkspaceFile {
  const content = 'text' in given ? Buffer.from(given.text) : Buffer.from(given.base64, 'base64');
  return { path: given.path, content };
}
