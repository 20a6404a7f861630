import { type Environment, operatorCommand } from '@ambit/runtime';
import type { Logger } from 'pino';
import { repeat } from '../repeat.ts';

/** A daemon that systemd may have started. */
interface Service {
  environment: Environment;
  /** Settles, with any result, if the daemon's threads answer. */
  answered(): Promise<unknown>;
  logger: Pick<Logger, 'error'>;
}

/**
 * Reports to systemd that the daemon is ready, and then, three times within `WatchdogSec=`, that it still answers; see
 * sd_notify(3). Does nothing for a daemon that is not a service of type `notify`. Returns a function that stops the reports.
 */
export function notifySystemd({ environment, answered, logger }: Service): () => void {
  if (!environment['NOTIFY_SOCKET']) return () => undefined;
  // A program, because Node cannot send the datagram that systemd expects.
  const notify = async (state: string): Promise<void> => {
    await operatorCommand(['systemd-notify', state], environment).catch((err: unknown) =>
      logger.error({ err, state }, 'cannot notify systemd'),
    );
  };
  void notify('READY=1');
  const isWatched = Number(environment['WATCHDOG_PID'] ?? process.pid) === process.pid;
  const watchdogMs = Number(environment['WATCHDOG_USEC'] ?? 0) / 1000;
  if (!isWatched || !(watchdogMs > 0)) return () => undefined;
  const report = async (): Promise<void> => {
    await answered();
    await notify('WATCHDOG=1');
  };
  return repeat(report, { intervalMs: watchdogMs / 3 });
}
