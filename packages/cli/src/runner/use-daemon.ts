import { realpathSync } from 'node:fs';
import { ambitClient } from '@ambit/client';
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
import { attemptsMax, restarting } from './restarting.ts';

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
      for (let attempt = 1; ; attempt += 1) {
        started = (await ensure()) ?? started;
        const running = await runningDaemon(config, environment);
        if (running !== undefined) return running;
        // A command of another version can end the daemon that was just found.
        if (attempt === attemptsMax) throw withoutDaemon(config);
      }
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
  throw withoutDaemon(config);
}

function withoutDaemon({ dataDir }: Config): Refusal {
  return new Refusal('DAEMON_UNREACHABLE', `no daemon runs for ${dataDir}. To start one, run: ambit serve`);
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

/** If other commands use it by now, it ends after them. */
async function endStarted({ dataDir }: Config, pid: number): Promise<void> {
  const status = await daemonStatus(dataDir);
  if (status.running && status.process?.pid === pid) await endWhenUnused(dataDir, status.process);
}
