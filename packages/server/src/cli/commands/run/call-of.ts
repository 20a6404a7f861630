import { resolve } from 'node:path';
import { CallContext, type CallerInput, type Narrowing } from '@ambit/core/execute';
import { defined } from '@ambit/core/json';
import { UsageError } from '@ambit/core/outcome';
import { OperatorLimits } from '@ambit/core/policy';
import { InvalidArgumentError } from 'commander';
import type { ArchiveEntry } from '../../../wire/tar.ts';
import { readJson, readTextOrBytes } from '../../command/read-input.ts';
import type { Terminal } from '../../output/terminal.ts';
import type { Call } from '../../ports/actions.ts';
import { fileArguments, loadEntries } from './file-arguments.ts';

/** The flags of `ambit run`. */
export interface RunFlags {
  input?: string;
  stdin?: string;
  context?: string;
  script?: string;
  command?: string;
  file?: string[];
  save?: string;
  overwrite?: boolean;
  hidden?: boolean;
  receipt?: string;
  workspace?: string;
  read?: string[];
  timeout?: number;
  memory?: number;
  stream?: boolean;
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
    throw new InvalidArgumentError(`${issue?.message.replace(/^w/, 'W')}.`);
  };
}
