import { resolve } from 'node:path';
import type { CallerInput, Narrowing } from '@ambit/core/execute';
import { CallContext, OperatorLimits } from '@ambit/core/internal';
import { InvalidArgumentError } from 'commander';
import { CliError } from '../../../errors/cli-error.ts';
import { readJson, readTextOrBytes } from '../../command/read-input.ts';
import type { Terminal } from '../../output/terminal.ts';
import type { Call } from '../../ports/actions.ts';
import { givenFiles } from './given-files.ts';

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

/** Builds the call and reads its files, each of at most `bytesMax` bytes. Rejects with `USAGE_INVALID`. */
export async function callOf(
  terminal: Terminal,
  skillId: string,
  args: readonly string[],
  flags: RunFlags,
  bytesMax: number,
): Promise<Call> {
  return {
    skillId,
    input: await callerInput(terminal, args, flags, bytesMax),
    narrowing: narrowing(terminal.cwd(), flags),
    ...(flags.receipt !== undefined && { receipt: true }),
    ...(flags.workspace !== undefined && { workspace: flags.workspace }),
    ...(flags.save !== undefined && { fileContents: true }),
  };
}

async function callerInput(
  terminal: Terminal,
  args: readonly string[],
  { input, stdin, context, script, command, file = [] }: RunFlags,
  bytesMax: number,
): Promise<CallerInput> {
  if (input === '-' && stdin === '-') {
    throw new CliError('USAGE_INVALID', 'stdin can be read only once: use a file for --input or --stdin');
  }
  return {
    ...(input === undefined ? {} : { input: await readJson(terminal, input, bytesMax, '--input') }),
    ...(context === undefined
      ? {}
      : { context: contextIn(context, await readJson(terminal, context, bytesMax, '--context')) }),
    ...(stdin === undefined ? {} : { stdin: await readTextOrBytes(terminal, stdin, bytesMax) }),
    ...(args.length === 0 ? {} : { args }),
    ...(script === undefined ? {} : { script }),
    ...(command === undefined ? {} : { command }),
    ...(file.length === 0 ? {} : { files: await givenFiles(terminal.cwd(), file, bytesMax) }),
  };
}

function contextIn(source: string, value: unknown): CallContext {
  const parsed = CallContext.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(
    'USAGE_INVALID',
    `${source} is not a valid context: write an object; its "memory", if any, is an array of strings`,
  );
}

function narrowing(cwd: string, { read, timeout, memory }: RunFlags): Narrowing {
  return {
    ...(read === undefined
      ? {}
      : { capabilities: { filesystem: { read: read.map((path) => resolve(cwd, path)) } } }),
    ...(timeout === undefined && memory === undefined
      ? {}
      : { limits: { timeoutMs: timeout, memoryBytes: memory } }),
  };
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
