import { setTimeout as delay } from 'node:timers/promises';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { type ReloadReport, type ReloadResult, readReloadReport } from './reload-report.ts';
import { signalDaemon } from './signal-daemon.ts';

/** The time to wait for the report. */
const waitMs = 30_000;
const pollMs = 50;

/** `ambit config reload`: reloads the configuration of the daemon that uses the data directory. */
export async function reloadDaemon({ dataDir }: Pick<Config, 'dataDir'>): Promise<ReloadResult> {
  const { beganAt: _, configDigest: __, ...report } = await reloadRunning(dataDir);
  return report;
}

/**
 * Sends `SIGHUP` to the daemon that uses a data directory, and waits for its report there. Rejects with `DAEMON_UNREACHABLE` if
 * no daemon runs, or it does not report.
 */
export async function reloadRunning(dataDir: string): Promise<ReloadReport> {
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
    if (report !== undefined && report.beganAt >= sentAt) return report;
    await delay(pollMs);
  }
  throw unreachable(
    `the daemon with process id ${pid} did not report the result of the reload within ${waitMs / 1000} s; see its log`,
  );
}

function unreachable(message: string): Refusal {
  return new Refusal('DAEMON_UNREACHABLE', message);
}
