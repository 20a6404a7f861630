import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { ExitCode } from '@ambit/api';
import type { Skill } from '@ambit/core';
import type { Capabilities, Tier } from '@ambit/core/execute';
import { bubblewrapSandbox, toolChecker } from '@ambit/runtime';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { someSkill } from '../../../server/src/testing/some-skill.ts';
import { ambitCli } from '../ambit-cli.ts';
import type { Output, Terminal } from '../output/terminal.ts';
import type { Actions } from '../ports/actions.ts';

/** The exit code and output of a command. */
export interface CliResult {
  exitCode: ExitCode;
  stdout: string;
  stderr: string;
}

/** The environment of a command in a test. `columns` makes stdout a terminal of that width. */
export interface CliEnvironment {
  actions?: Partial<Actions>;
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
  around: CliEnvironment = {},
): Promise<CliResult> {
  const printed = { stdout: '', stderr: '' };
  const signals = around.signals ?? new EventEmitter();
  const output = (stream: 'stdout' | 'stderr'): Output => ({
    write: (text) => {
      printed[stream] += text;
      if (stream === 'stdout') around.onPrinted?.();
    },
    on: () => undefined,
    isTTY: around.columns !== undefined,
    columns: around.columns,
    hasColors: () => true,
  });
  const terminal: Terminal = {
    stdin: Object.assign(
      around.stdin instanceof Readable ? around.stdin : Readable.from([around.stdin ?? '']),
      { isTTY: around.stdinIsTerminal ?? false },
    ),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: around.env ?? {},
    cwd: () => around.cwd ?? '/work',
    on: (name, listener) => signals.on(name, listener),
    off: (name, listener) => signals.off(name, listener),
  };
  const argv = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  const exitCode = await ambitCli({ ...idleActions, ...around.actions }, terminal, argv);
  if (signals.eventNames().length > 0) throw new Error('the command has ended but still listens for signals');
  return { exitCode, ...printed };
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

/** Actions that fail unless a test replaces them. */
export const idleActions: Actions = {
  version: '0.1.0',
  loadConfig: async () => plainConfig,
  configWithOrigins: unexpected,
  startDaemon: unexpected,
  reloadDaemon: unexpected,
  connectLibrary: unexpected,
  connectWorkspaces: unexpected,
  connectConsole: unexpected,
  connectRunner: unexpected,
  connectInstalls: unexpected,
  serveMcp: unexpected,
  stopDaemon: unexpected,
  daemonText: async () => undefined,
  openAudit: unexpected,
  pruneAudit: unexpected,
  backupAudit: unexpected,
  proofs: unexpected,
  keys: unexpected,
  cluster: unexpected,
  trust: unexpected,
  propose: unexpected,
  signing: unexpected,
  catalog: unexpected,
  readSource: unexpected,
  skillWarnings: async () => [],
  openToolChecker: async () => toolChecker(async () => bubblewrapSandbox()),
  promptsWithoutConfig: unexpected,
  wasmPython: async () => ({ text: 'Python 3.11.2' }),
  copyToPostgres: unexpected,
  inspectMachine: unexpected,
};

/** The workspaces of a runner whose calls need none. */
export function noWorkspaces(): never {
  throw new Error('this test has no workspaces');
}

async function unexpected(): Promise<never> {
  throw new Error('this test expects no such action');
}
