import type { ExecuteRequest } from '@ambit/core/execute';
import { CallContext } from '@ambit/core/internal';
import { z } from 'zod';
import { Args, Files, ScriptName } from '../../../wire/call-input.ts';
import { NarrowingShape } from '../../../wire/narrowing.ts';

const sharedFields = {
  files: Files.describe('What is put into the workspace before the run.'),
  context: CallContext.optional().describe('Where the call comes from; its `memory` can be recalled.'),
  workspace: z
    .string()
    .max(200)
    .optional()
    .describe(
      "The id of a workspace of the key's that it runs in; without it, in one of its own, for this run.",
    ),
};

const linkFields = {
  args: Args.describe('For protocol `command`: its arguments.'),
  script: ScriptName.describe(
    'Which of its scripts: a name in `run.scripts` of its `ambit.yaml`, a file in `scripts/`, or `-m package.module`.',
  ),
  capabilities: NarrowingShape.capabilities.describe(
    'What the call may have at most; takes away, never adds. A kind that is absent loses nothing.',
  ),
  limits: NarrowingShape.limits.describe('The least of what is asked for anywhere holds.'),
};

/**
 * The body of `POST /skills/:id/execute`. `input` is for skills with protocol json, `args` and `stdin` for command,
 * `script` for those with several, `files` for those with a workspace, `context` for those that ask for it.
 */
export const ExecuteBody = z.strictObject({
  input: z.unknown().optional().describe('For protocol `json`: any JSON value.'),
  stdin: z.string().optional().describe('For protocol `command`, as are `args`.'),
  ...sharedFields,
  ...linkFields,
  fileContents: z
    .boolean()
    .optional()
    .describe(
      'Whether the answer holds the contents of changed files; by itself, where no workspace keeps them.',
    ),
  receipt: z
    .boolean()
    .default(false)
    .describe('Whether the answer, or the problem of a refusal, is to hold a signed receipt.'),
});

/** Longer chains are programs, and are better written as one. */
const stepsMax = 50;

/** The body of `POST /chain`: what the first skill gets, and the skills in order. */
export const ChainBody = z.strictObject({
  input: z.unknown().optional().describe('What the first skill gets, with protocol `json`.'),
  stdin: z.string().optional().describe('What the first skill gets, with protocol `command`.'),
  ...sharedFields,
  steps: z
    .array(z.strictObject({ skill: z.string().max(200).describe("The skill's id."), ...linkFields }))
    .min(1, 'a chain needs at least one step')
    .max(stepsMax)
    .describe('The skills, in order.'),
});

/** More calls than these are better sent as several batches: an answer comes when the last has ended. */
const callsMax = 50;

/** The body of `POST /batch`: calls that do not depend on each other. */
export const BatchBody = z.strictObject({
  calls: z
    .array(
      ExecuteBody.omit({ receipt: true }).extend({
        skill: z.string().max(200).describe("The skill's id."),
      }),
    )
    .min(1, 'a batch needs at least one call')
    .max(callsMax)
    .describe('Each with what a call by itself takes, but `receipt`.'),
  stopOnFailure: z
    .boolean()
    .default(false)
    .describe(
      'Whether they run one after another, and none any more after the first that is refused or does not succeed.',
    ),
});

/** What the body of a call asks for, and whether its answer has the bytes of changed files. */
export function callOf({
  input,
  args,
  stdin,
  script,
  files,
  context,
  workspace,
  fileContents,
  ...narrowing
}: Omit<z.output<typeof ExecuteBody>, 'receipt'>): {
  call: Pick<ExecuteRequest, 'input' | 'workspace' | 'narrowing'>;
  hasContents: boolean;
} {
  return {
    call: { input: { input, args, stdin, script, files, context }, workspace, narrowing },
    hasContents: fileContents ?? workspace === undefined,
  };
}
