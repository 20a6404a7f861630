import { once } from 'node:events';
import { CodedError, thrownText } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import { isTaken } from '../audit/file/lock-data-dir.ts';
import type { Config } from '../config/config.ts';
import { takenExitCode } from '../on-demand/on-demand-arguments.ts';
import { serveSignals } from '../running-daemon/serve-signals.ts';
import { type Reading, startOnDemandDaemon } from './start-daemon.ts';

/** The daemon on demand, as a program. */
interface OnDemandProgram extends Pick<Reading, 'valuesOf'> {
  load(): Promise<Config>;
  environment: Environment;
  version: string;
}

/**
 * Runs the daemon that a command has started: without a listener for other machines or programs, until it is idle or asked to
 * end. SIGTERM and SIGHUP have their effects on `ambit serve`; after SIGUSR2 it ends as soon as it is idle. Resolves to its exit
 * code. Its stderr is its log.
 */
export async function serveOnDemand({
  load,
  valuesOf,
  environment,
  version,
}: OnDemandProgram): Promise<number> {
  // The first caller's would decide who can read what skills write in every later call. What is private has its own mode.
  process.umask(0o022);
  const signals = serveSignals(process);
  const hurried = new AbortController();
  const onHurry = (): void => hurried.abort();
  process.on('SIGUSR2', onHurry);
  const { stopped } = signals;
  try {
    const reading = { load, valuesOf, stopped };
    const daemon = await startOnDemandDaemon(await load(), environment, version, reading);
    signals.onReload(() => void daemon.reload());
    if (hurried.signal.aborted) daemon.hurry();
    hurried.signal.addEventListener('abort', daemon.hurry);
    if (!stopped.aborted) await Promise.race([once(stopped, 'abort'), daemon.idle]);
    await daemon.close(signals.cancelNow);
    return 0;
  } catch (error) {
    if (stopped.aborted && error === stopped.reason) return 0;
    if (isTaken(error)) return takenExitCode;
    const code = error instanceof CodedError ? error.code : 'INTERNAL';
    process.stderr.write(`ambit: ${code}: ${thrownText(error)}\n`);
    return 1;
  } finally {
    process.off('SIGUSR2', onHurry);
    signals.ignore();
  }
}
