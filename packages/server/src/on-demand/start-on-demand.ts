import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnnouncedDaemon } from '@ambit/client/node';
import { type DetachedEnd, detachedProgram, type Environment } from '@ambit/runtime';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import { type Turn, takeTurn } from '../audit/file/turn.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { daemonAddress } from '../local-socket/daemon-address.ts';
import { isSocketOf } from '../local-socket/socket-folder.ts';
import { reloadRunning } from '../running-daemon/reload-daemon.ts';
import { signalDaemon } from '../running-daemon/signal-daemon.ts';
import { prepareDataDir } from '../setup/data-dir.ts';
import { editableFile } from '../trust/scope-text.ts';
import { daemonEnvironment } from './daemon-environment.ts';
import { daemonLogFile, type OpenDaemonLog, openDaemonLog } from './daemon-log.ts';
import { hasOtherValues, otherVariables } from './differences.ts';
import { takenExitCode } from './on-demand-arguments.ts';
import { clearStartFailure, recordStartFailure, startFailureSince } from './start-failure.ts';

const pollMs = 25;
const startMaxMs = 60_000;

/** The time in which an idle daemon that is asked to end withdraws its announcement. */
const decisionMaxMs = 1000;

/** The command's part in a start. */
export interface OnDemandStart {
  config: Config;
  environment: Environment;
  /** The command line of the daemon: Node, the program, and the arguments that name its configuration. */
  command: readonly string[];
  /** The version of this command. */
  version: string;
  /** Called for what a person should know, such as a daemon of another version. */
  onNote(note: string): void;
  /** Ends the wait for a start. The daemon starts anyway. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns a function to call before each use of the daemon: it resolves when a daemon of the data directory accepts calls, to
 * the id of its process if this command started it. If none runs, it starts one on demand; commands that do this at the same
 * moment start it together.
 *
 * The first time, a daemon on demand applies the command's configuration, if that has changed. If it cannot, or it has another
 * version, it is replaced as soon as nothing uses it; until then, `onNote` gets the difference. Each daemon that another command
 * started is checked, also if this command was about to start one.
 *
 * Rejects with `DAEMON_START_FAILED`, once, if the daemon ends while it starts or takes too long, and with `DATA_DIR_TAKEN` if
 * another command uses the directory, a daemon with another configuration file, or one whose socket is lost. Rejects with the
 * reason of `signal`.
 */
export function daemonStarter(start: OnDemandStart): () => Promise<number | undefined> {
  const { config, onNote } = start;
  /** The daemons whose difference is known. */
  const accepted = new Set<number>();
  let isCurrent = false;
  return async () => {
    for (;;) {
      const found = await listeningDaemon(config.dataDir);
      if (found === undefined) {
        await endUnreachable(config.dataDir);
        const pid = await startTogether(start);
        // Another command's may have another configuration.
        if (pid === undefined) continue;
        isCurrent = true;
        return pid;
      }
      if (accepted.has(found.pid)) return undefined;
      const difference =
        (await otherSource(start, found, { reloads: !isCurrent })) ??
        otherVersion(start, found) ??
        (isCurrent ? undefined : await otherSettings(start, found));
      if (difference === undefined || found.onDemand !== true || !(await isEnding(config.dataDir, found))) {
        if (difference?.isRefused) throw new Refusal('DATA_DIR_TAKEN', difference.text);
        // The configuration may change while the command runs, and its daemon follows.
        isCurrent = true;
        if (difference === undefined) return undefined;
        accepted.add(found.pid);
        onNote(difference.text);
        return undefined;
      }
    }
  };
}

/** The daemon of a data directory that accepts connections, at its private socket or at its address. */
async function listeningDaemon(dataDir: string): Promise<AnnouncedDaemon | undefined> {
  const found = await daemonAddress(dataDir);
  if (found === undefined) return undefined;
  const { socket, url } = found;
  const isThere = socket !== undefined && isSocketOf(dataDir, socket) && (await isAccepting(socket));
  return isThere || url !== undefined ? found : undefined;
}

/**
 * Ends a daemon on demand whose socket was removed, as happens to the user's runtime folder at a logout, or is not in private
 * folders any more. Commands cannot reach it, and it keeps others from starting. Rejects with `DATA_DIR_TAKEN` while it is used.
 */
async function endUnreachable(dataDir: string): Promise<void> {
  const status = await daemonStatus(dataDir);
  if (!status.running || status.process?.onDemand !== true) return;
  const { pid, socket } = status.process;
  // It has none while it starts and ends.
  if (socket === undefined || isSocketOf(dataDir, socket)) return;
  if (await isEnding(dataDir, status.process)) return;
  throw new Refusal(
    'DATA_DIR_TAKEN',
    `the daemon (process ${pid}) that uses ${dataDir} is in use, and no command can reach it: its socket ${socket} was removed, or others can write its folder. To end it, run: ambit stop`,
  );
}

/** Resolves to the id of the daemon's process if this command started it. */
async function startTogether({ signal, ...start }: OnDemandStart): Promise<number | undefined> {
  const { dataDir } = start.config;
  await prepareDataDir(start.config);
  const beganAt = Date.now();
  const deadline = performance.now() + startMaxMs;
  let turn: Turn | undefined;
  let started: StartedDaemon | undefined;
  try {
    for (;;) {
      const listening = await listeningDaemon(dataDir);
      if (listening !== undefined) return listening.pid === started?.pid ? listening.pid : undefined;
      const status = await daemonStatus(dataDir);
      const { running } = status;
      // Another process was faster. If that was no daemon, start one again after it. And on a busy machine, the daemon may have
      // listened, and ended because nothing used it, before this process noticed.
      const exitCode = started?.end?.exitCode;
      if (started !== undefined && (exitCode === takenExitCode || exitCode === 0)) started = closed(started);
      if (started?.end !== undefined && !running) throw await failedStart(dataDir, started, started.end);
      turn ??= await takeTurn(dataDir, 'start');
      if (turn !== undefined && started === undefined && !running) {
        const failure = await startFailureSince(dataDir, beganAt);
        if (failure !== undefined) throw new Refusal('DAEMON_START_FAILED', failure);
        started = await startDetached(start);
      }
      if (performance.now() > deadline) {
        // Node itself can hang in its start, without enough threads. Only what has the lock can become a daemon.
        if (!status.running || status.process?.pid !== started?.pid) started?.kill();
        throw tooLate(dataDir, started);
      }
      await delay(pollMs, undefined, { signal });
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    started?.log.close();
    turn?.release();
  }
}

interface StartedDaemon {
  pid: number | undefined;
  log: OpenDaemonLog;
  kill(): void;
  /** Absent while it runs. */
  end?: DetachedEnd;
}

function closed({ log }: StartedDaemon): undefined {
  log.close();
}

async function startDetached({
  config,
  environment,
  command,
}: Omit<OnDemandStart, 'signal'>): Promise<StartedDaemon> {
  await clearStartFailure(config.dataDir);
  const log = openLog(config.dataDir);
  const program = await detachedProgram(command, {
    cwd: config.dataDir,
    environment: daemonEnvironment(config, environment),
    output: log.descriptor,
  });
  const started: StartedDaemon = { pid: program.pid, log, kill: program.kill };
  void program.ended.then((end) => {
    started.end = end;
  });
  return started;
}

function openLog(dataDir: string): OpenDaemonLog {
  try {
    return openDaemonLog(dataDir);
  } catch (cause) {
    throw new Refusal(
      'DAEMON_START_FAILED',
      `cannot start the daemon: cannot write its log ${daemonLogFile(dataDir)} (${(cause as Error).message}). Free space, or make it a file of your own`,
      { cause },
    );
  }
}

/** Asks a daemon to end as soon as nothing uses it. Resolves to whether that is now. */
async function isEnding(dataDir: string, daemon: AnnouncedDaemon): Promise<boolean> {
  await signalDaemon(daemon, dataDir, 'SIGUSR2');
  const deadline = performance.now() + decisionMaxMs;
  while (performance.now() < deadline) {
    const status = await daemonStatus(dataDir);
    if (!status.running || status.address?.pid !== daemon.pid) return true;
    await delay(pollMs);
  }
  return false;
}

async function isAccepting(socket: string): Promise<boolean> {
  const connection = connect({ path: socket });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  connection.on('connect', () => resolve(true)).on('error', () => resolve(false));
  const isOpen = await promise;
  connection.destroy();
  return isOpen;
}

async function failedStart(dataDir: string, { log }: StartedDaemon, end: DetachedEnd): Promise<Refusal> {
  const message = `the daemon ${endText(end)}. Its log is ${log.file}${quoted(log.lastLines())}`;
  await recordStartFailure(dataDir, message);
  return new Refusal('DAEMON_START_FAILED', message);
}

function endText({ exitCode, signal, notStarted }: DetachedEnd): string {
  if (notStarted !== undefined) return `could not be started (${notStarted})`;
  return signal === undefined
    ? `exited with ${exitCode} while it started`
    : `was ended by ${signal} while it started`;
}

function quoted(lines: readonly string[]): string {
  return lines.length === 0 ? ', and is empty' : `. It ends with:\n${lines.join('\n')}`;
}

function tooLate(dataDir: string, started: StartedDaemon | undefined): Refusal {
  if (started === undefined)
    return new Refusal(
      'DATA_DIR_TAKEN',
      `${dataDir} is in use by another command, or by a daemon that does not listen yet; try again in a moment`,
    );
  return new Refusal(
    'DAEMON_START_FAILED',
    `the daemon (process ${started.pid}) does not listen after ${startMaxMs / 1000} s. Its log is ${started.log.file}${quoted(started.log.lastLines())}`,
  );
}

/** A difference between a daemon and what the command expects. `isRefused`: the command cannot use that daemon. */
interface Difference {
  text: string;
  isRefused?: true;
}

function otherVersion(
  { version: own }: OnDemandStart,
  { pid, version, onDemand }: AnnouncedDaemon,
): Difference | undefined {
  if (version === undefined || version === own) return undefined;
  const text = `the daemon (process ${pid}) has version ${version}, and this command ${own}`;
  return { text: `${text}. ${onDemand === true ? untilIdle('of this version') : 'Restart it'}` };
}

/**
 * The refusal of a daemon on demand for another configuration, which could allow more. `reloads`: it may find a file that is new. A
 * daemon that a person started has the configuration that this person reloads.
 */
async function otherSource(
  { config }: OnDemandStart,
  daemon: AnnouncedDaemon,
  { reloads }: { reloads: boolean },
): Promise<Difference | undefined> {
  const own = editableFile(config);
  if (daemon.onDemand !== true || daemon.configFile === own || !(await hasOtherValues(config, daemon)))
    return undefined;
  if (reloads) {
    await reloadRunning(config.dataDir);
    if (!(await hasOtherValues(config, daemon))) return undefined;
  }
  return {
    isRefused: true,
    text: `the daemon (process ${daemon.pid}) that uses ${config.dataDir} has ${sourceText(daemon.configFile)}, and this command ${sourceText(own)}. To end it, run: ambit stop. To use both, name another directory with --data-dir`,
  };
}

function sourceText(file: string | undefined): string {
  if (file === undefined) return 'no configuration file';
  return existsSync(file) ? file : `the defaults in place of ${file}`;
}

/** The differences of a daemon on demand for the same configuration. */
async function otherSettings(
  { config, environment }: OnDemandStart,
  daemon: AnnouncedDaemon,
): Promise<Difference | undefined> {
  if (daemon.onDemand !== true) return undefined;
  const who = `the daemon (process ${daemon.pid})`;
  if (await hasOtherValues(config, daemon)) {
    const { issues } = await reloadRunning(config.dataDir);
    if (await hasOtherValues(config, daemon))
      return {
        text: `${who} still has the configuration of its start${issues.length === 0 ? ', with other settings in variables' : `: ${issues.join('; ')}`}. ${untilIdle('with this one')}`,
      };
  }
  const variables = await otherVariables(config, environment, daemon);
  if (variables.length === 0) return undefined;
  return {
    text: `${who} was started with another ${variables.join(', ')}. ${untilIdle('with this one')}`,
  };
}

function untilIdle(what: string): string {
  return `To replace it now, run: ambit stop. When it is idle, the next command starts one ${what}`;
}
