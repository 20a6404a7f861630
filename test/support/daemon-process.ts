import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trustConfig } from '../../packages/server/src/testing/trust-config.ts';
import manifest from '../package.json' with { type: 'json' };
import { commands } from './on-demand-daemons.ts';
import { privateHome, userFolders } from './private-home.ts';
import { makeProject } from './project-folder.ts';

/** The root of the repository. */
export const repository = join(import.meta.dirname, '../..');

/** The version of all packages. */
export const version: string = manifest.version;

const main = join(repository, 'packages/cli/src/ambit.mjs');

/** A complete HTTP answer. */
interface Answer {
  status: number;
  type: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON, compared whole by the tests
  body: any;
}

/** The real daemon, in a separate process. */
export interface Daemon {
  url: string;
  key: string;
  dataDir: string;
  pid: number;
  /** Its stdout so far. */
  printed(): string;
  /** Its stderr so far; empty if that goes to a file. */
  logged(): string;
  request(
    method: string,
    path: string,
    options?: { body?: unknown; raw?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answer>;
  execute(skill: string, body: unknown): Promise<Answer>;
  /** Records, newest first. */
  audit(query?: string): Promise<Answer['body'][]>;
  /** Rewrites the configuration without a reload. */
  configure(config: object): Promise<void>;
  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits until the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

interface DaemonOptions {
  dataDir?: string;
  args?: readonly string[];
  logFile?: string;
  nodeArgs?: readonly string[];
  /** Added to its minimal environment. */
  env?: Record<string, string>;
  program?: string;
  /** Starts in a project without a configuration; `configure` writes one into its folder. */
  unconfigured?: boolean;
  /** Kills it, also while it starts. */
  signal?: AbortSignal;
}

/**
 * Runs the `ambit` command to its end, as a person who has read what it decides about: `skills approve`, `trust --yes`, `grant` and
 * `skills propose --write`, which need a terminal, get the names of the reviews. `isTyped: false` runs exactly `args`. The rest is as of `ambitAlone`.
 */
export async function ambit(
  args: readonly string[],
  { isTyped = true, ...around }: Parameters<typeof ambitAlone>[1] & { isTyped?: boolean } = {},
): ReturnType<typeof ambitAlone> {
  return ambitAlone(isTyped ? await afterReading(args, around) : args, around);
}

async function afterReading(
  args: readonly string[],
  { cwd, env = {} }: NonNullable<Parameters<typeof ambitAlone>[1]>,
): Promise<readonly string[]> {
  const around = { env, ...(cwd !== undefined && { cwd }) };
  const shown = async (...words: readonly string[]): Promise<string | undefined> => {
    const { stdout } = await ambitAlone(withFlags(words, '--json'), around);
    return stdout === '' ? undefined : (JSON.parse(stdout) as { review?: string }).review;
  };
  if (args.includes('trust') && args.includes('--yes')) {
    const others = args.filter((each) => each !== '--yes' && each !== '--json');
    const review = await shown(...others);
    return review === undefined ? args : [...args.filter((each) => each !== '--yes'), '--review', review];
  }
  const isGrant = args[0] === 'grant' && !args.includes('--dry-run');
  const isWrite = args[1] === 'propose' && args.includes('--write');
  if ((isGrant || isWrite) && !args.includes('--review')) {
    const plan = isGrant ? withFlags(args, '--dry-run') : args.filter((each) => each !== '--write');
    const review = await shown(...plan.filter((each) => each !== '--json'));
    return review === undefined ? args : withFlags(args, '--review', review);
  }
  const at = args.findIndex((each, index) => each === 'approve' && args[index - 1] === 'skills');
  if (at === -1 || args.includes('--review')) return args;
  const isId = (each: string, index: number): boolean =>
    index > at && !each.startsWith('--') && !/^--(?!json)/.test(args[index - 1] ?? '') && !each.includes('@');
  const flags = args.flatMap((each, index) =>
    ['--config', '--data-dir', '--url', '--key-file'].includes(each) ? [each, args[index + 1] ?? ''] : [],
  );
  return Promise.all(
    args.map(async (each, index) => {
      if (!isId(each, index)) return each;
      const name = (await lockedDigest(cwd, each)) ?? (await shown('skills', 'review', each, ...flags));
      return `${each}@${name ?? 'unread'}`;
    }),
  );
}

/** The command with flags before the arguments of a skill. */
function withFlags(args: readonly string[], ...flags: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  return at === -1 ? [...args, ...flags] : [...args.slice(0, at), ...flags, ...args.slice(at)];
}

/** The digest in `ambit.lock` of a folder, where it names the whole version; otherwise only a review does. */
async function lockedDigest(folder: string | undefined, named: string): Promise<string | undefined> {
  const text = folder && (await readFile(join(folder, 'ambit.lock'), 'utf8').catch(() => undefined));
  if (!text) return undefined;
  const { skills } = JSON.parse(text.replaceAll(/^#.*$/gm, '')) as { skills: Record<string, LockedEntry> };
  const [entry, ...others] = Object.entries(skills).flatMap(([id, skill]) =>
    id === named || id.endsWith(`:${named}`) ? [skill] : [],
  );
  const version = entry?.waiting ?? entry;
  if (entry === undefined || version === undefined || others.length > 0) return undefined;
  const isWhole = version.dependencies === undefined && entry.waiting?.digest !== entry.digest;
  return isWhole ? version.digest : undefined;
}

interface LockedEntry {
  digest: string;
  dependencies?: unknown;
  waiting?: Omit<LockedEntry, 'waiting'>;
}

/** Runs the `ambit` command to its end, or ends it at `signal` with `killWith`. `env` is added to its minimal environment. */
async function ambitAlone(
  args: readonly string[],
  {
    cwd = privateHome,
    stdin = '',
    endsStdin = () => true,
    env = {},
    signal,
    killWith = 'SIGKILL',
  }: {
    cwd?: string;
    stdin?: string;
    /** Whether stdin ends, by what stdout has so far; absent: after `stdin`. */
    endsStdin?: (stdout: string) => boolean;
    env?: Record<string, string>;
    signal?: AbortSignal;
    killWith?: NodeJS.Signals;
  } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  commands.haveRun = true;
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    stdio: 'pipe',
    env: { ...environment(), ...env },
  });
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  child.stdin.on('error', () => undefined).write(stdin);
  const endStdin = (): void => void (endsStdin(stdout()) && child.stdin.end());
  endStdin();
  child.stdout.on('data', endStdin);
  signal?.addEventListener('abort', () => child.kill(killWith));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/**
 * Trusts the current configuration in a folder, like `ambit trust` in a terminal, by default for the user of all tests.
 * `dataHome` is another user's folder of data.
 */
export async function trust(folder: string, dataHome = userFolders().XDG_DATA_HOME): Promise<void> {
  const file = join(folder, 'ambit.config.yaml');
  await trustConfig(dataHome, file, await readFile(file), Date.now());
}

/**
 * Starts the daemon on a free port with its configuration and data in `folder`, or with its data in
 * `dataDir`. A stop cancels running calls unless the configuration changes that. With `logFile`,
 * the log goes to that file instead of this process. `nodeArgs` are for Node itself, and `program`
 * replaces the file that it runs. Resolves when the daemon reports that it listens. The caller
 * stops it.
 */
export async function daemonProcess(
  folder: string,
  config: object = {},
  {
    dataDir,
    args = [],
    logFile,
    nodeArgs = [],
    env = {},
    program = main,
    unconfigured = false,
    signal: killing,
  }: DaemonOptions = {},
): Promise<Daemon> {
  const data = dataDir ?? join(folder, 'data');
  const file = join(folder, 'ambit.config.yaml');
  const configure = (next: object): Promise<void> => {
    const shutdown = { drainMs: 0 };
    const listen = { port: 0, ...('listen' in next ? (next.listen as object) : {}) };
    return writeFile(file, JSON.stringify({ shutdown, ...next, dataDir: data, listen }));
  };
  await (unconfigured ? makeProject(folder) : configure(config));
  const settings = unconfigured ? ['--data-dir', data, '--port', '0'] : ['--config', file];
  const log = logFile === undefined ? undefined : await open(logFile, 'a');
  const child = spawn(process.execPath, [...nodeArgs, program, 'serve', ...settings, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', log?.fd ?? 'pipe'],
    env: { ...environment(), ...env },
  });
  killing?.addEventListener('abort', () => child.kill('SIGKILL'));
  await log?.close();
  const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [printed, logged] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const url = await Promise.race([listening(child, printed), gone.then(([code]) => failed(code, logged()))]);
  const key = (await readFile(join(data, 'key'), 'utf8')).trim();

  const request: Daemon['request'] = async (method, path, { body, raw, headers, signal } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal === undefined ? {} : { signal }),
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    };
  };
  return {
    url,
    key,
    dataDir: data,
    pid: child.pid ?? Number.NaN,
    printed,
    logged,
    request,
    execute: (skill, body) => request('POST', `/skills/${skill}/execute`, { body }),
    audit: async (query = '') => (await request('GET', `/audit${query}`)).body.records,
    configure,
    signal: (signal) => void child.kill(signal),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const [code, by] = await gone;
      return { code, signal: by };
    },
  };
}

/**
 * Without the caller's settings, so a test has the same result everywhere. Trust is recorded in the
 * tests' own folder.
 */
function environment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: privateHome,
    NO_COLOR: '1',
    // Killed daemons leave the folders of their sockets.
    XDG_RUNTIME_DIR: privateHome,
    ...userFolders(),
  };
}

async function listening(child: ChildProcess, printed: () => string): Promise<string> {
  for (;;) {
    const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(printed())?.[0];
    // The banner is complete when its last line, the command to paste, has ended.
    if (url !== undefined && /^\s*sed .*\| curl .*\n/m.test(printed())) return url;
    if (child.stdout === null) throw new Error('stdout is a pipe');
    await once(child.stdout, 'data');
  }
}

function failed(code: number | null, log: string): never {
  throw new Error(`the daemon exited with ${code} before it listened:\n${log}`);
}

function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
