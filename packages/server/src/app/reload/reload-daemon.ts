import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonStatus } from '../../audit/file/lock-data-dir.ts';
import type { Actions } from '../../cli/ports/actions.ts';
import { Refusal } from '../../errors/refusal.ts';
import { type ReloadReport, readReloadReport } from './reload-report.ts';

/** The time to wait for the report. */
const waitMs = 30_000;
const pollMs = 50;

/** Sends `SIGHUP` to the daemon and waits for its report in the data directory. */
export const reloadDaemon: Actions['reloadDaemon'] = async ({ dataDir }) => {
  const daemon = await daemonStatus(dataDir);
  if (!daemon.running || daemon.address === null)
    throw unreachable(
      `no daemon is listening for ${dataDir}. To start one with the current configuration, run: ambit serve`,
    );
  const { pid } = daemon.address;
  const sentAt = Date.now();
  await sendSignal(pid, dataDir);
  for (let waited = 0; waited < waitMs; waited += pollMs) {
    const report = await readReloadReport(dataDir);
    if (report !== undefined && report.beganAt >= sentAt) return withoutTime(report);
    await delay(pollMs);
  }
  throw unreachable(
    `the daemon with process id ${pid} did not report the result of the reload within ${waitMs / 1000} s; see its log`,
  );
};

/** Checks the process first: the id of a daemon in a container is another process here. */
async function sendSignal(pid: number, dataDir: string): Promise<void> {
  if (!(await isAmbit(pid)))
    throw unreachable(
      `the daemon that uses ${dataDir} has process id ${pid}, which is no Ambit process on this machine; run the command where the daemon runs, for example in its container`,
    );
  try {
    process.kill(pid, 'SIGHUP');
  } catch (cause) {
    throw unreachable(
      `cannot signal the daemon with process id ${pid}: ${(cause as Error).message}. Run the command as the daemon's user, or reload it with its service manager: systemctl reload ambit`,
      cause,
    );
  }
}

/** Checks the command line of the process, on Linux. */
async function isAmbit(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  return words.includes('serve');
}

function withoutTime({ beganAt: _, ...report }: ReloadReport): Awaited<ReturnType<Actions['reloadDaemon']>> {
  return report;
}

function unreachable(message: string, cause?: unknown): Refusal {
  return new Refusal('DAEMON_UNREACHABLE', message, { cause });
}
