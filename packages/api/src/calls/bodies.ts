import { CallContext } from '@ambit/core/execute';
import { z } from 'zod';
import { NarrowingShape } from '../narrowing.ts';

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

/** Stdin that is not text, in base64. */
export const StdinBytes = Base64.optional();

/** Files to put into a workspace before the run. */
export const Files = z.array(GivenEntry).max(filesMax).optional();
export type GivenFiles = z.output<typeof Files>;

const sharedFields = {
  files: Files.describe('Files to add to the workspace before the run.'),
  context: CallContext.optional().describe('Context for skills that can read it; `memory` is searchable.'),
  workspace: z
    .string()
    .max(200)
    .optional()
    .describe("The id of the key's workspace to run in. Default: a new one for this run."),
};

const linkFields = {
  args: Args.describe('For protocol `command`: the arguments.'),
  script: ScriptName.describe(
    "The skill's script to run: a name in `run.scripts` of its `ambit.yaml`, a program by its path or unique file name, or `-m package.module`.",
  ),
  command: CommandText.describe(
    'In place of `script` and `args`: both as one command, such as `python3 scripts/x.py --all`. It is split into words like a shell does, but no shell runs.',
  ),
  capabilities: NarrowingShape.capabilities.describe(
    'An upper bound on the grant; never adds to it. An absent kind is not narrowed.',
  ),
  limits: NarrowingShape.limits.describe(
    'Limits of the call, in place of the limits that its skill asks for. A value above the maximum is cut to it.',
  ),
};

/**
 * The body of `POST /skills/:id/execute`. `input` is for protocol json and scripts without a sidecar, `args` and `stdin` for protocol
 * command, `script` for skills with several scripts, and `files` for skills with a workspace.
 */
export const ExecuteBody = z.strictObject({
  input: z
    .unknown()
    .optional()
    .describe(
      'For protocol `json`: any JSON value. A script without a sidecar gets it as JSON on its stdin.',
    ),
  stdin: z.string().optional().describe('For protocol `command`: the text of stdin.'),
  stdinBase64: StdinBytes.describe('Instead of `stdin`: any bytes, in base64.'),
  ...sharedFields,
  ...linkFields,
  trial: z
    .literal(true)
    .exactOptional()
    .describe(
      'Runs the skill with nothing that needs a grant, also if it requests or has one, and records what it tries to reach. `GET /skills/{id}/proposal?execution=ID` proposes a grant for that.',
    ),
  fileContents: z
    .boolean()
    .optional()
    .describe(
      'Whether the response includes the contents of changed files. Default: only without `workspace`.',
    ),
  workspaceOptional: z
    .boolean()
    .optional()
    .describe(
      'Whether a skill that has no workspace runs without `workspace`. Default: its call is refused.',
    ),
  receipt: z
    .boolean()
    .default(false)
    .describe('Whether the response, or the problem of a refusal, includes a signed receipt.'),
});

/** A longer chain is better written as a program. */
const stepsMax = 50;

/** The body of `POST /chain`: the first skill's input, and the skills in order. */
export const ChainBody = z.strictObject({
  input: z
    .unknown()
    .optional()
    .describe("The first skill's input, for protocol `json` or a script without a sidecar."),
  stdin: z.string().optional().describe("The first skill's stdin, for protocol `command`."),
  stdinBase64: StdinBytes.describe('Instead of `stdin`: any bytes, in base64.'),
  ...sharedFields,
  steps: z
    .array(z.strictObject({ skill: z.string().max(200).describe("The skill's id."), ...linkFields }))
    .min(1, 'a chain needs at least one step')
    .max(stepsMax)
    .describe('The skills, in order.'),
});

/** More calls are better sent as several batches, because the response waits for the last one. */
const callsMax = 50;

/** The body of `POST /batch`: independent calls. */
export const BatchBody = z.strictObject({
  calls: z
    .array(
      ExecuteBody.omit({ receipt: true, trial: true }).extend({
        skill: z.string().max(200).describe("The skill's id."),
      }),
    )
    .min(1, 'a batch needs at least one call')
    .max(callsMax)
    .describe('The calls, each with the fields of a single call except `receipt`.'),
  stopOnFailure: z
    .boolean()
    .default(false)
    .describe('Runs the calls one after another, and skips the rest after the first that does not succeed.'),
});
