import { setTimeout as delay } from 'node:timers/promises';
import { type AnnouncedDaemon, processStart } from '@ambit/client/node';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { signalDaemon } from './signal-daemon.ts';

/** A daemon that was stopped. `url`: absent if it had no address. */
export interface StoppedDaemon {
  pid: number;
  url?: string | undefined;
  onDemand?: boolean | undefined;
}

const pollMs = 50;

/** The time for what a daemon does besides its running calls: to cancel and record them, and to close its files. */
const closingMs = 30_000;

/**
 * Asks the daemon of a data directory to end, as SIGTERM does, and waits until it has. `undefined`: none runs. Rejects with
 * `DATA_DIR_TAKEN` if another command uses the directory, and with `DAEMON_UNREACHABLE` if the daemon cannot be asked or does
 * not end. `signal` ends only the wait.
 */
export async function stopDaemon(
  { dataDir, shutdown }: Pick<Config, 'dataDir' | 'shutdown'>,
  signal: AbortSignal,
): Promise<StoppedDaemon | undefined> {
  const found = await daemonStatus(dataDir);
  if (!found.running) return undefined;
  const { process: daemon } = found;
  if (daemon === null)
    throw new Refusal(
      'DATA_DIR_TAKEN',
      `${dataDir} is in use by another command, or by a daemon that does not listen yet; try again in a moment`,
    );
  await signalDaemon(daemon, dataDir, 'SIGTERM');
  const deadline = performance.now() + shutdown.drainMs + closingMs;
  while (await isStillRunning(dataDir, daemon)) {
    if (performance.now() > deadline)
      throw new Refusal(
        'DAEMON_UNREACHABLE',
        `the daemon with process id ${daemon.pid} was asked to end and has not; see its log. To end it without waiting: kill -9 ${daemon.pid}`,
      );
    await delay(pollMs, undefined, { signal });
  }
  const { pid, url, onDemand } = daemon;
  return { pid, url, onDemand };
}

/** The time in which a daemon ends that nothing uses. */
const unusedMs = 5000;

/** Asks a daemon on demand to end as soon as nothing uses it. Waits for its end only if that is soon. Rejects like `stopDaemon`. */
export async function endWhenUnused(dataDir: string, daemon: AnnouncedDaemon): Promise<void> {
  await signalDaemon(daemon, dataDir, 'SIGUSR2');
  const deadline = performance.now() + unusedMs;
  while (performance.now() < deadline && (await isStillRunning(dataDir, daemon))) await delay(pollMs);
}

/** Another daemon may have started meanwhile. */
async function isStillRunning(dataDir: string, { pid, started }: AnnouncedDaemon): Promise<boolean> {
  // Its process ends a moment after it has released the lock.
  if (started !== undefined && started === (await processStart(pid))) return true;
  const found = await daemonStatus(dataDir);
  // A daemon removes its announcement before it releases the lock.
  return found.running && (found.process === null || found.process.pid === pid);
}
