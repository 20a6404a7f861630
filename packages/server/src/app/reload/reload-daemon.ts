import { setTimeout as delay } from 'node:timers/promises';
import { daemonStatus } from '../../audit/file/lock-data-dir.ts';
import type { Actions } from '../../cli/ports/actions.ts';
import { Refusal } from '../../errors/refusal.ts';
import { signalDaemon } from '../../on-demand/signal-daemon.ts';
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
  await signalDaemon(daemon.address, dataDir, 'SIGHUP');
  for (let waited = 0; waited < waitMs; waited += pollMs) {
    const report = await readReloadReport(dataDir);
    if (report !== undefined && report.beganAt >= sentAt) return withoutTime(report);
    await delay(pollMs);
  }
  throw unreachable(
    `the daemon with process id ${pid} did not report the result of the reload within ${waitMs / 1000} s; see its log`,
  );
};

function withoutTime({ beganAt: _, ...report }: ReloadReport): Awaited<ReturnType<Actions['reloadDaemon']>> {
  return report;
}

function unreachable(message: string): Refusal {
  return new Refusal('DAEMON_UNREACHABLE', message);
}
