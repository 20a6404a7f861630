import { CallContext, type WorkspaceFile } from '@ambit/core';
import { z } from 'zod';
import { NarrowingShape } from '../../wire/narrowing.ts';

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

const Args = z.array(Argument).max(1000).optional();
const ScriptName = z.string().max(1024).optional();
const Files = z
  .array(GivenFile)
  .max(filesMax)
  .optional()
  .transform((files) => files?.map(workspaceFile));

/**
 * The body of `POST /skills/:id/execute`. `input` is for skills with protocol json, `args` and `stdin` for command,
 * `script` for those without a sidecar, `files` for those with a workspace, `context` for those that ask for it.
 */
export const ExecuteBody = z.strictObject({
  input: z.unknown().optional(),
  args: Args,
  stdin: z.string().optional(),
  script: ScriptName,
  files: Files,
  context: CallContext.optional(),
  ...NarrowingShape,
  /** Whether the answer is to hold a signed receipt. */
  receipt: z.boolean().default(false),
});

/** Longer chains are programs, and are better written as one. */
const stepsMax = 50;

/** The body of `POST /chain`: what the first skill gets, and the skills in order. */
export const ChainBody = z.strictObject({
  input: z.unknown().optional(),
  stdin: z.string().optional(),
  files: Files,
  context: CallContext.optional(),
  steps: z
    .array(
      z.strictObject({
        skill: z.string().max(200),
        args: Args,
        script: ScriptName,
        ...NarrowingShape,
      }),
    )
    .min(1, 'a chain needs at least one step')
    .max(stepsMax),
});

function workspaceFile(given: z.output<typeof GivenFile>): WorkspaceFile {
  const content = 'text' in given ? Buffer.from(given.text) : Buffer.from(given.base64, 'base64');
  return { path: given.path, content };
}
