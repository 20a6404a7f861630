import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { ExitCode } from '@ambit/api';
import { type AmbitClient, AmbitProblem, type Problem } from '@ambit/client';
import type { Skill } from '@ambit/core';
import type { Capabilities, Tier } from '@ambit/core/execute';
import type { ConfigEntry } from '@ambit/server/config';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { someSkill } from '../../../server/src/testing/some-skill.ts';
import { ambitCli } from '../ambit-cli.ts';
import type { Surroundings } from '../command/define-command.ts';
import type { Output, Terminal } from '../output/terminal.ts';

/** The exit code and output of a command. */
export interface CliResult {
  exitCode: ExitCode;
  stdout: string;
  stderr: string;
}

/** The methods of a client that a command in a test uses. */
export type FakeClient = Partial<Omit<AmbitClient, 'audit' | 'workspaces' | 'installs' | 'console'>> & {
  audit?: Partial<AmbitClient['audit']>;
  workspaces?: Partial<AmbitClient['workspaces']>;
  installs?: Partial<AmbitClient['installs']>;
  console?: Partial<AmbitClient['console']>;
};

/** The environment of a command in a test. `columns` makes stdout a terminal of that width. */
export interface CliEnvironment {
  /** Absent: `plainConfig` for all flags. */
  loadConfig?: Surroundings['loadConfig'];
  /** The values of every configuration; absent: none. */
  values?: readonly ConfigEntry[];
  /** The client of the daemon, which is called at `daemonUrl`. Without one, the command fails if it uses a daemon. */
  client?: FakeClient | undefined;
  daemonUrl?: string;
  /** Called when the command has ended with the daemon. */
  onClosed?: () => void;
  stdin?: string | Readable;
  /** Whether `stdin` is a terminal. */
  stdinIsTerminal?: boolean;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  columns?: number;
  /** The source of signals: `signals.emit('SIGINT')` is Ctrl-C. */
  signals?: EventEmitter;
  /** Called after each write to stdout. */
  onPrinted?: () => void;
}

/** Runs `ambit` with a line such as `run csv-profile --json`, or with a list of words. */
export async function runAmbit(
  line: string | readonly string[],
  { signals = new EventEmitter(), ...around }: CliEnvironment = {},
): Promise<CliResult> {
  const { terminal, written } = terminalOf({ ...around, signals });
  const argv = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  const exitCode = await ambitCli(surroundingsOf(terminal, around), argv);
  if (signals.eventNames().length > 0) throw new Error('the command has ended but still listens for signals');
  return { exitCode, ...written };
}

/** A terminal that stores what is written to it. */
export function terminalOf({
  signals = new EventEmitter(),
  stdin = '',
  stdinIsTerminal = false,
  cwd = '/work',
  env = {},
  columns,
  onPrinted,
}: CliEnvironment): { terminal: Terminal; written: Omit<CliResult, 'exitCode'> } {
  const written = { stdout: '', stderr: '' };
  const output = (stream: 'stdout' | 'stderr'): Output => ({
    write: (text) => {
      written[stream] += text;
      if (stream === 'stdout') onPrinted?.();
    },
    on: () => undefined,
    isTTY: columns !== undefined,
    columns,
    hasColors: () => true,
  });
  const terminal: Terminal = {
    stdin: Object.assign(stdin instanceof Readable ? stdin : Readable.from([stdin]), {
      isTTY: stdinIsTerminal,
    }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    cwd: () => cwd,
    on: (name, listener) => signals.on(name, listener),
    off: (name, listener) => signals.off(name, listener),
  };
  return { terminal, written };
}

/** A skill without a folder; `run` makes it a tool. */
export function skill(
  id: string,
  {
    run,
    tier = 'local',
    version,
    description = `What ${id} does.`,
    warnings = [],
  }: {
    run?: {
      runtime: 'process' | 'wasm';
      protocol?: 'json' | 'command';
      capabilities?: Partial<Capabilities>;
    };
    tier?: Tier;
    version?: string;
    description?: string;
    warnings?: string[];
  } = {},
): Skill {
  const sidecar = JSON.stringify({ version, run: run && { entry: 'entry', ...run } });
  return someSkill(id, sidecar, { description, tier, warnings });
}

/** The surroundings of a command in a test. */
export function surroundingsOf(
  terminal: Terminal,
  {
    loadConfig = async () => plainConfig,
    values,
    client,
    daemonUrl: url = 'http://localhost',
    onClosed,
  }: CliEnvironment = {},
): Surroundings {
  return {
    terminal,
    loadConfig,
    valuesOf: () => values,
    async useDaemon() {
      if (client === undefined) throw new Error('this test has no daemon');
      return { client: client as AmbitClient, url, close: async () => onClosed?.() };
    },
  };
}

/** The refusal of a daemon. */
export function refused(code: Problem['code'], detail: string, more: Partial<Problem> = {}): AmbitProblem {
  const about = { type: `urn:ambit:problem:${code}`, title: code, instance: 'urn:uuid:e-1' };
  return new AmbitProblem({ ...about, status: 422, code, detail, executionId: 'e-1', ...more });
}
