import type { WorkspaceFile } from '@ambit/core/internal';
import { z } from 'zod';

const Argument = z
  .string()
  .max(32_768)
  .refine((argument) => !argument.includes('\0'), 'an argument cannot hold a NUL character');

/** More files than these are an archive, and can be sent as one. */
const filesMax = 1000;

const Base64 = z.base64('write it in base64, with its padding');
const path = z.string().max(1024);

/** A file for the workspace: as text, or as bytes in base64. */
const GivenFile = z.union(
  [z.strictObject({ path, text: z.string() }), z.strictObject({ path, base64: Base64 })],
  'give each file a "path" and either "text" or "base64"',
);

/** The arguments of a skill with protocol command. */
export const Args = z.array(Argument).max(1000).optional();

/** Which of a skill's scripts. */
export const ScriptName = z.string().max(1024).optional();

/** What is put into a workspace before the run; its output is the files with their bytes. */
export const Files = z
  .array(GivenFile)
  .max(filesMax)
  .optional()
  .transform((files) => files?.map(workspaceFile));

function workspaceFile(given: z.output<typeof GivenFile>): WorkspaceFile {
  const content = 'text' in given ? Buffer.from(given.text) : Buffer.from(given.base64, 'base64');
  return { path: given.path, content };
}
