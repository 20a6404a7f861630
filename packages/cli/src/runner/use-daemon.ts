import { realpathSync } from 'node:fs';
import { ambitClient, type Fetch, type FetchResponse } from '@ambit/client';
import type { Environment } from '@ambit/runtime';
import type { Config } from '@ambit/server/config';
import {
  daemonStarter,
  daemonStatus,
  endWhenUnused,
  type OnDemandStart,
  onDemandArguments,
} from '@ambit/server/daemon';
import { Refusal } from '@ambit/server/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { CommandContext, DaemonUse, UsedDaemon } from '../command/define-command.ts';
import { whileWaiting } from '../output/progress-line.ts';
import { type DaemonAccess, namedDaemon, runningDaemon } from './daemon-access.ts';

/** The command that uses a daemon. */
export interface UsedBy extends OnDemandStart {
  /** Whether a daemon that the command starts ends with it: where no background process may live. */
  isAlone?: boolean | undefined;
}

/** The daemon of a command. */
export interface CommandDaemon {
  /**
   * The named daemon, or the one that uses the data directory. If none runs, starts one on demand. Rejects like `daemonStarter`,
   * and with `KEY_UNUSABLE`.
   */
  find(): Promise<DaemonAccess>;
  /** Ends it, as soon as nothing else uses it, if it was started for this command alone. */
  close(): Promise<void>;
}

/** See `CommandDaemon`. */
export function daemonOf(use: UsedBy): CommandDaemon {
  const { config, environment } = use;
  const ensure = daemonStarter(use);
  let started: number | undefined;
  return {
    async find() {
      const named = await namedDaemon(config, environment);
      if (named !== undefined) return named;
      started = (await ensure()) ?? started;
      return requiredDaemon(config, environment);
    },
    async close() {
      if (use.isAlone === true && started !== undefined) await endStarted(config, started);
    },
  };
}

/** The daemon that runs. Rejects with `DAEMON_UNREACHABLE` if there is none. */
async function requiredDaemon(config: Config, environment: Environment): Promise<DaemonAccess> {
  const running = await runningDaemon(config, environment);
  if (running !== undefined) return running;
  throw new Refusal(
    'DAEMON_UNREACHABLE',
    `no daemon runs for ${config.dataDir}. To start one, run: ambit serve`,
  );
}

/** The daemon for the client of a command. If it has ended because nothing used it, the next request finds it again. */
export async function useDaemon(
  config: Config,
  command: Pick<CommandContext, 'terminal' | 'flags' | 'print'>,
  use: DaemonUse,
): Promise<UsedDaemon> {
  const { terminal, print } = command;
  const { onlyRunning, signal } = use;
  const daemon = daemonOf(usedBy(config, command, use));
  const access = onlyRunning
    ? await requiredDaemon(config, terminal.env)
    : await whileWaiting(terminal, print, 'start', daemon.find);
  const { url, key, socketPath } = access;
  const fetch = onlyRunning ? access.fetch : restarting(access, daemon.find);
  return { client: ambitClient({ url, key, fetch, signal }), url, socketPath, close: daemon.close };
}

/** A command as the one that uses a daemon, and may start it. */
export function usedBy(
  config: Config,
  { terminal, flags }: Pick<CommandContext, 'terminal' | 'flags'>,
  { isAlone, signal }: DaemonUse,
): UsedBy {
  const environment = terminal.env;
  const program = realpathSync(process.argv[1] ?? '');
  return {
    config,
    environment,
    command: [process.execPath, program, ...onDemandArguments(config, { flags, environment })],
    version: manifest.version,
    onNote: (note) => terminal.stderr.write(`ambit: ${note}\n`),
    isAlone,
    signal,
  };
}

/** The number of daemons that may end at the moment of one request. */
const attemptsMax = 3;

/** A `fetch` that finds the daemon again if it has ended or is ending, and sends the same request: nothing has run it. */
export function restarting(access: DaemonAccess, find: () => Promise<DaemonAccess>): Fetch {
  let send = access.fetch ?? fetch;
  return async (input, init) => {
    const isRepeatable = access.socketPath !== undefined && !(init?.body instanceof ReadableStream);
    for (let attempt = 1; isRepeatable && attempt < attemptsMax; attempt += 1) {
      const answer = await unlessEnded(send(input, init));
      if (answer !== undefined) return answer;
      const { fetch: again = fetch, socketPath } = await find();
      // The address and the key of the request are the socket's.
      if (socketPath === undefined) throw withoutSocket();
      send = again;
    }
    return send(input, init);
  };
}

/** The response of a daemon; `undefined` if it has ended, or is ending and has run nothing. */
async function unlessEnded(sending: Promise<FetchResponse>): Promise<FetchResponse | undefined> {
  const response = await sending.catch((error: unknown) => {
    if (isUnconnected(error)) return undefined;
    throw error;
  });
  if (response?.status !== 503) return response;
  const text = await response.text();
  return isShuttingDown(text) ? undefined : withBody(response, text);
}

function isShuttingDown(text: string): boolean {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code === 'SHUTTING_DOWN';
  } catch {
    return false;
  }
}

/** A response whose body was read, to be read again. */
function withBody({ ok, status, url, headers }: FetchResponse, text: string): FetchResponse {
  const body = new Blob([text]);
  return {
    ok,
    status,
    url,
    headers,
    body: body.stream(),
    arrayBuffer: () => body.arrayBuffer(),
    json: async () => JSON.parse(text),
    text: async () => text,
  };
}

function withoutSocket(): Refusal {
  return new Refusal(
    'DAEMON_UNREACHABLE',
    'the daemon has ended, and the one that runs now has no private socket. Nothing was sent to it. Run the command again',
  );
}

const withoutListener: readonly unknown[] = ['ENOENT', 'ECONNREFUSED'];

function isUnconnected(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return withoutListener.includes(cause?.code);
}

/** If other commands use it by now, it ends after them. */
async function endStarted({ dataDir }: Config, pid: number): Promise<void> {
  const status = await daemonStatus(dataDir);
  if (status.running && status.process?.pid === pid) await endWhenUnused(dataDir, status.process);
}
