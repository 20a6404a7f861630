import { isatty } from 'node:tty';
import { onInterrupt, type Terminal } from './terminal.ts';

/** What the daemon in the foreground is told by signals. */
export interface ServeSignals {
  /** Resolves at the first Ctrl-C or SIGTERM, or when its terminal is gone. */
  stop: Promise<void>;
  /** Aborted at the second. The third finds the default, which ends the process. */
  hurry: AbortSignal;
  /** Calls back at every SIGHUP from now on, and at once for one that has come before. */
  onReload(reload: () => void): void;
  /** Stops listening. */
  ignore(): void;
}

/** So often it is looked whether a terminal that has hung up is there. */
const lookMs = 1000;

/** Listens from now on. */
export function serveSignals(terminal: Terminal): ServeSignals {
  const stop = Promise.withResolvers<void>();
  const hurry = new AbortController();
  let reload: (() => void) | undefined;
  let missed = false;
  let looking: NodeJS.Timeout | undefined;
  let ignoreInterrupt = onInterrupt(terminal, () => {
    ignoreInterrupt = onInterrupt(terminal, () => hurry.abort());
    stop.resolve();
  });
  const stopIfGone = (): void => {
    if (isGone(terminal)) stop.resolve();
  };
  const onHangUp = (): void => {
    stopIfGone();
    if (isGone(terminal)) return;
    // Where the shell went first, its terminal is closed some seconds later, without another signal.
    if (terminal.stdout.isTTY) looking ??= setInterval(stopIfGone, lookMs).unref();
    if (reload === undefined) missed = true;
    else reload();
  };
  terminal.on('SIGHUP', onHangUp);
  return {
    stop: stop.promise,
    hurry: hurry.signal,
    onReload(callback) {
      reload = callback;
      if (missed) callback();
      missed = false;
    },
    ignore() {
      clearInterval(looking);
      terminal.off('SIGHUP', onHangUp);
      ignoreInterrupt();
    },
  };
}

/** SIGHUP is also what a terminal sends that is closed; what was one is none then. */
function isGone({ stdout: { isTTY, fd } }: Terminal): boolean {
  return isTTY === true && fd !== undefined && !isatty(fd);
}
