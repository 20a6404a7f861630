import { CallContext } from '@ambit/core';
import { z } from 'zod';
import { Args, Files, ScriptName } from '../../wire/call-input.ts';
import { NarrowingShape } from '../../wire/narrowing.ts';

/** A workspace of the caller's that lives across calls; absent: the run has one for itself. */
const WorkspaceId = z.string().max(200).optional();

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
  workspace: WorkspaceId,
  /** Whether the answer is to hold the bytes of changed files; absent: where no workspace keeps them. */
  fileContents: z.boolean().optional(),
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
  workspace: WorkspaceId,
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

/** More calls than these are better sent as several batches: an answer comes when the last has ended. */
const callsMost = 50;

/** The body of `POST /batch`: calls that do not depend on each other. */
export const BatchBody = z.strictObject({
  calls: z
    .array(ExecuteBody.omit({ receipt: true }).extend({ skill: z.string().max(200) }))
    .min(1, 'a batch needs at least one call')
    .max(callsMost),
  stopOnFailure: z.boolean().default(false),
});
