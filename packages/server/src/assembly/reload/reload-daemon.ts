import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import type { Actions } from '../../cli/actions/actions.ts';
import { CliError } from '../../cli/cli-error.ts';
import { type ReloadReport, readReloadReport } from './reload-report.ts';

/** How long a daemon has to say what came of it. */
const waitMs = 30_000;
const everyMs = 50;

/** Sends the daemon `SIGHUP`, and waits for what it leaves in the data directory about it. */
export const reloadDaemon: Actions['reloadDaemon'] = async ({ dataDir }) => {
  const daemon = await daemonStatus(dataDir);
  if (!daemon.running || daemon.address === null)
    throw unreachable(
      `no daemon listens that uses ${dataDir}; start one with "ambit serve", which reads the configuration anew`,
    );
  const { pid } = daemon.address;
  const askedAt = Date.now();
  await ask(pid, dataDir);
  for (let waited = 0; waited < waitMs; waited += everyMs) {
    const report = await readReloadReport(dataDir);
    if (report !== undefined && report.beganAt >= askedAt) return withoutTime(report);
    await delay(everyMs);
  }
  throw unreachable(
    `the daemon with process id ${pid} was told, and has not said in ${waitMs / 1000} s what came of it; its log says more`,
  );
};

/** What holds the data directory has the number in its own world; one that is elsewhere's may mean anybody here. */
async function ask(pid: number, dataDir: string): Promise<void> {
  if (!(await isAmbit(pid)))
    throw unreachable(
      `the daemon that uses ${dataDir} has process id ${pid}, which here is another program or none: run this where it runs, as inside its container`,
    );
  try {
    process.kill(pid, 'SIGHUP');
  } catch (cause) {
    throw unreachable(
      `the daemon with process id ${pid} cannot be told (${(cause as Error).message}): run this as its user, or reload it with what started it, as "systemctl reload ambit"`,
      cause,
    );
  }
}

/** By its command line, where the system shows that. */
async function isAmbit(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  return words.includes('serve');
}

function withoutTime({ beganAt: _, ...report }: ReloadReport): Awaited<ReturnType<Actions['reloadDaemon']>> {
  return report;
}

function unreachable(message: string, cause?: unknown): CliError {
  return new CliError('DAEMON_UNREACHABLE', message, { cause });
}
