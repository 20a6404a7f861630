import { CallContext } from '@ambit/core';
import { z } from 'zod';
import { Args, Files, ScriptName } from '../../wire/call-input.ts';
import { NarrowingShape } from '../../wire/narrowing.ts';

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
