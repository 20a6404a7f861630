import { readFile } from 'node:fs/promises';
import type { AnnouncedDaemon } from '@ambit/client/node';
import { processStart } from '@ambit/client/node';
import { Refusal } from '../errors/refusal.ts';

/**
 * Sends a signal to the daemon of a data directory. Rejects with `DAEMON_UNREACHABLE` if its process is not one of this user's
 * Ambit processes here: the id of a daemon in a container is another process on this machine.
 */
export async function signalDaemon(
  daemon: Pick<AnnouncedDaemon, 'pid' | 'started'>,
  dataDir: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const { pid } = daemon;
  if (!(await isThatDaemon(daemon)))
    throw unreachable(
      `the daemon that uses ${dataDir} has process id ${pid}, which is no Ambit process on this machine; run the command where the daemon runs, for example in its container`,
    );
  try {
    process.kill(pid, signal);
  } catch (cause) {
    throw unreachable(
      `cannot signal the daemon with process id ${pid}: ${(cause as Error).message}. Run the command as the daemon's user, or use its service manager: systemctl reload ambit, systemctl stop ambit`,
      cause,
    );
  }
}

/** Checks the command line and the start of the process, on Linux. */
async function isThatDaemon({ pid, started }: Pick<AnnouncedDaemon, 'pid' | 'started'>): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  if (!words.includes('serve')) return false;
  return started === undefined || started === (await processStart(pid));
}

function unreachable(message: string, cause?: unknown): Refusal {
  return new Refusal('DAEMON_UNREACHABLE', message, { cause });
}
