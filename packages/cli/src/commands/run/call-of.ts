import { resolve } from 'node:path';
import { CallContext, type CallerInput, type Narrowing } from '@ambit/core/execute';
import { defined } from '@ambit/core/json';
import { UsageError } from '@ambit/core/outcome';
import { OperatorLimits } from '@ambit/core/policy';
import type { ArchiveEntry } from '@ambit/server/wire';
import { defineOptions, type FlagsOf } from '../../command/define-command.ts';
import { readJson, readTextOrBytes } from '../../command/read-input.ts';
import type { Terminal } from '../../output/terminal.ts';
import { fileArguments, loadEntries } from './file-arguments.ts';

/** The options of `ambit run`. */
export const runOptions = defineOptions({
  input: {
    value: 'json|file',
    text: 'pass this JSON, or file with JSON, to a skill with protocol json or a script without a sidecar; - is stdin',
    details:
      'A value is JSON if it starts with `{`, `[` or `"`, or is a number, `true`, `false` or `null`; write `./1` for a file of that name. See [JSON without a sidecar](skills.md#json-without-a-sidecar)',
  },
  stdin: {
    value: 'file',
    text: 'pass this file to the stdin of a skill with protocol command; - is stdin',
    details: 'The file has text or [bytes](skills.md#bytes)',
  },
  context: {
    value: 'json|file',
    text: 'pass this JSON, or file with JSON, as the context of the call; skills can recall its "memory"',
    details: 'See [host functions](host-functions.md)',
  },
  script: {
    value: 'script',
    text: 'run this script: a name in run.scripts of ambit.yaml, a program by its path or unique file name, or "-m package.module"',
    details:
      'See [several scripts](skills.md#several-scripts) and [Python modules](skills.md#python-modules)',
    completes: 'files',
  },
  command: {
    value: 'text',
    text: 'run this command of the instructions, such as "python3 scripts/x.py --all", in place of --script and arguments; no shell runs it',
    details: 'See [commands](skills.md#commands)',
  },
  file: {
    value: 'path',
    text: 'copy this file or folder into the workspace, with PATH=TARGET under another name; repeatable',
    details:
      'The target `.` copies the contents of a folder to the top. [Large files](#large-files) go through a workspace. Executable files stay executable, and links within a folder stay links; a link that leads out of it is refused',
    repeatable: true,
  },
  save: {
    value: 'folder',
    text: 'save the files that the run created or changed below this folder, if they are new and not hidden',
    details:
      'Saves all of them, or none. Refuses existing files, [hidden files](#saved-files), files of `.git`, `.ambit` and other git repositories, `ambit.config.yaml`, and writing through links. Links that the run left are named and never created. The output is printed even then',
  },
  overwrite: { text: 'with --save: also replace existing files', details: 'Lists them first' },
  hidden: { text: 'with --save: also save hidden files; tools run commands from some of them' },
  workspace: {
    value: 'id',
    text: 'run in this workspace of the daemon',
    details: 'The [workspace](workspaces.md) preserves the files of the run',
    completes: 'workspace',
  },
  receipt: {
    value: 'file',
    text: 'save a signed receipt of the call, even if it is refused',
    details: 'See [receipts](audit.md#receipts)',
  },
  read: {
    value: 'path',
    text: 'allow only this of the granted paths to be read; repeatable',
    details: 'Never adds a path',
    repeatable: true,
  },
  timeout: {
    value: 'time',
    text: 'stop the run after this time: 90s, 10m, or milliseconds',
    details: 'The configuration sets the [maximum](configuration.md#limits-of-a-call)',
    parse: limit('timeoutMs'),
  },
  memory: {
    value: 'size',
    text: 'give the run this much memory: 1GiB, or bytes',
    details: 'The configuration sets the [maximum](configuration.md#limits-of-a-call)',
    parse: limit('memoryBytes'),
  },
  daemon: { negated: true, text: 'leave no daemon behind: a daemon that this command starts ends with it' },
  stream: {
    text: 'print output while the skill runs, even if stdout is not a terminal',
    details: 'Cannot be combined with `--json`',
  },
});
export type RunFlags = FlagsOf<typeof runOptions>;

/** One call. */
export interface Call {
  skillId: string;
  input: CallerInput;
  narrowing: Narrowing;
  /** Adds a signed receipt to the answer, or to a refusal. */
  receipt?: boolean;
  /** The workspace to run in; absent: a new one for this run. */
  workspace?: string;
  /** Whether a skill that has no workspace runs without `workspace`. */
  workspaceOptional?: boolean;
  /** Whether the answer includes the contents of changed files; absent: only for a call without `workspace`. */
  fileContents?: boolean;
}

/** A call as it was typed. */
export interface TypedCall {
  call: Call;
  /** The files of `--file`, if they are more than one request holds; otherwise the call has them. */
  upload?: readonly ArchiveEntry[];
}

/** The most files in a request. */
const filesMax = 1000;

/** Builds the call from texts and files of at most `bytesMax` bytes, the limit of a request. Rejects with `USAGE_INVALID`. */
export async function callOf(
  terminal: Terminal,
  skillId: string,
  args: readonly string[],
  flags: RunFlags,
  bytesMax: number,
): Promise<TypedCall> {
  const input = await callerInput(terminal, args, flags, bytesMax);
  const call: Call = { skillId, input, narrowing: narrowing(terminal.cwd(), flags) };
  if (flags.receipt !== undefined) call.receipt = true;
  if (flags.workspace !== undefined) call.workspace = flags.workspace;
  if (flags.save !== undefined) call.fileContents = true;
  if (flags.file === undefined) return { call };
  const files = await fileArguments(terminal.cwd(), flags.file, bytesMax);
  if (files.length > filesMax || sentBytes(call, files) > bytesMax) return { call, upload: files };
  return { call: { ...call, input: { ...input, files: await loadEntries(files) } } };
}

/** The size of the request for a call with these files, in base64, and a little more. */
function sentBytes({ input, narrowing }: Call, files: readonly ArchiveEntry[]): number {
  const { stdin, ...others } = input;
  const text = JSON.stringify({ ...others, ...narrowing, stdin: stdin instanceof Uint8Array ? '' : stdin });
  const sizes = files.map((entry) => ('parts' in entry ? entry.bytes : 0));
  if (stdin instanceof Uint8Array) sizes.push(stdin.length);
  const contents = sizes.reduce((sum, bytes) => sum + 4 * Math.ceil(bytes / 3), 0);
  const names = files.reduce((sum, { path }) => sum + Buffer.byteLength(JSON.stringify(path)), 0);
  return Buffer.byteLength(text) + contents + names + membersBytes * (files.length + optionsMax);
}

/** The names of the members of a file, or of some options of a call. */
const membersBytes = 64;
const optionsMax = 4;

async function callerInput(
  terminal: Terminal,
  args: readonly string[],
  { input, stdin, context, script, command }: RunFlags,
  bytesMax: number,
): Promise<CallerInput> {
  if (input === '-' && stdin === '-') {
    throw new UsageError('stdin can be read only once: use a file for --input or --stdin');
  }
  return {
    input: input === undefined ? undefined : await readJson(terminal, input, bytesMax, '--input'),
    context:
      context === undefined
        ? undefined
        : contextIn(context, await readJson(terminal, context, bytesMax, '--context')),
    stdin: stdin === undefined ? undefined : await readTextOrBytes(terminal, stdin, bytesMax),
    args: args.length === 0 ? undefined : args,
    script,
    command,
  };
}

function contextIn(source: string, value: unknown): CallContext {
  const parsed = CallContext.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${source} is not a valid context: write an object; its "memory", if any, is an array of strings`,
  );
}

function narrowing(cwd: string, { read, timeout, memory }: RunFlags): Narrowing {
  const paths = read?.map((path) => resolve(cwd, path));
  const isLimited = timeout !== undefined || memory !== undefined;
  return defined({
    capabilities: paths && { filesystem: { read: paths } },
    limits: isLimited ? { timeoutMs: timeout, memoryBytes: memory } : undefined,
  });
}

/** Parses the value of an option that sets a limit of the call. */
export function limit(name: 'timeoutMs' | 'memoryBytes'): (text: string) => number {
  const schema = OperatorLimits.shape[name].unwrap();
  return (text) => {
    const { data, error } = schema.safeParse(text);
    if (data !== undefined) return data;
    const [issue] = error?.issues ?? [];
    throw new UsageError(`${issue?.message.replace(/^w/, 'W')}.`);
  };
}
