import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { CallKind, World } from './world.ts';

/** A call of a command. */
export interface Attempt {
  kind: CallKind;
  /** Its input, which no other call has. */
  number: number;
  /** Absent: it was not answered with a result. */
  answer?: { executionId: string; sequence: number; status: string | undefined };
  /** The reason for that. */
  failure?: string;
}

/** A command of a round. */
export interface Command {
  words: string;
  attempts: readonly Attempt[];
  pid(): number | undefined;
  /** Resolves when it has ended, to why it failed. */
  ended: Promise<string | undefined>;
}

interface CommandOptions {
  world: World;
  /** The program of `ambit`. */
  program: string;
  /** Words before Node, such as a shell that limits it. */
  prefix?: readonly string[];
}

/** `ambit run`. */
export function runCommand(options: CommandOptions, attempt: Attempt): Command {
  const words = ['run', attempt.kind, '--input', String(attempt.number), '--json'];
  const { child, end } = start(options, words);
  const ended = async (): Promise<string | undefined> => {
    const { failure, stdout } = await end;
    const { executionId, outcome, audit } = parsed(stdout);
    if (outcome === undefined || audit === undefined) {
      attempt.failure = failure ?? `it printed ${stdout}`;
      return attempt.failure;
    }
    attempt.answer = { executionId, sequence: audit.sequence, status: outcome.status };
    return undefined;
  };
  return {
    words: `run ${attempt.kind} ${attempt.number}`,
    attempts: [attempt],
    pid: () => child.pid,
    ended: ended(),
  };
}

/** A command that makes no call. */
export function plainCommand(options: CommandOptions, ...words: readonly string[]): Command {
  const { child, end } = start(options, words);
  return {
    words: words.join(' '),
    attempts: [],
    pid: () => child.pid,
    ended: end.then(({ failure }) => failure),
  };
}

/** `ambit mcp` with an agent, which makes its calls one after the other and awaits `pause` before each. */
export function agent(
  { world, program }: CommandOptions,
  attempts: readonly Attempt[],
  pause: (at: number) => Promise<unknown>,
): Command {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--config', world.configFile],
    env: world.environment,
    cwd: world.folder,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'kills', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const converse = async (): Promise<string | undefined> => {
    try {
      await client.connect(transport);
      for (const [at, attempt] of attempts.entries()) {
        await pause(at);
        await answered(client, attempt);
      }
    } catch (error) {
      for (const attempt of attempts) if (attempt.answer === undefined) attempt.failure ??= textOf(error);
      return textOf(error);
    } finally {
      await client.close();
    }
    return attempts.find(({ failure }) => failure !== undefined)?.failure;
  };
  return {
    words: `mcp ${attempts.length}`,
    attempts,
    pid: () => transport.pid ?? undefined,
    ended: converse(),
  };
}

async function answered(client: Client, attempt: Attempt): Promise<void> {
  try {
    const result = await client.callTool({ name: attempt.kind, arguments: { input: attempt.number } });
    const { 'ambit/executionId': id, 'ambit/audit': audit } = (result._meta ?? {}) as Record<string, unknown>;
    const sequence = (audit as { sequence: number } | undefined)?.sequence;
    if (typeof id !== 'string' || sequence === undefined) attempt.failure = JSON.stringify(result.content);
    // An error is a run that failed, for whatever reason.
    else
      attempt.answer = {
        executionId: id,
        sequence,
        status: result.isError === true ? undefined : 'succeeded',
      };
  } catch (error) {
    attempt.failure = textOf(error);
    // Each message may find another daemon, but without `ambit mcp` there is none.
    if (attempt.failure.includes('Connection closed') || attempt.failure.includes('Not connected'))
      throw error;
  }
}

interface End {
  /** Absent: it exited with 0, or with 1 for a run that failed. */
  failure: string | undefined;
  stdout: string;
}

function start(
  { world, program, prefix = [] }: CommandOptions,
  words: readonly string[],
): { child: ChildProcess; end: Promise<End> } {
  const [file = '', ...args] = [...prefix, process.execPath, program, ...words, '--config', world.configFile];
  const child = spawn(file, args, { cwd: world.folder, env: world.environment, stdio: 'pipe' });
  child.stdin.end();
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  const end = async (): Promise<End> => {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    const isOver = code === 0 || (code === 1 && printed.stdout !== '');
    const failure = isOver
      ? undefined
      : `${signal ?? `exit ${code}`}: ${printed.stderr || printed.stdout}`.trim();
    return { failure, stdout: printed.stdout };
  };
  return { child, end: end() };
}

// biome-ignore lint/suspicious/noExplicitAny: printed JSON, which the log is compared with
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function textOf(error: unknown): string {
  return (error as Error).message;
}

/** Resolves after a random time. */
export function randomDelay(random: () => number, maxMs: number): Promise<void> {
  return delay(random() * maxMs);
}
