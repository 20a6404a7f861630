import { isatty } from 'node:tty';
import { onInterrupt, type SignalSource } from './on-interrupt.ts';

/** The signals that control the daemon in the foreground. */
export interface ServeSignals {
  /** Aborted at the first Ctrl-C or SIGTERM, or when the terminal is closed. */
  stopped: AbortSignal;
  /** Aborted at the second one. The third has its default effect: it ends the process. */
  cancelNow: AbortSignal;
  /** Calls back at every SIGHUP, and immediately if one arrived earlier. */
  onReload(reload: () => void): void;
  /** Stops listening. */
  ignore(): void;
}

/** The interval at which a terminal that hung up is checked for being closed. */
const pollMs = 1000;

/** The process of a daemon in the foreground; `process` implements it. */
interface Foreground extends SignalSource {
  readonly stdout: { readonly isTTY?: boolean | undefined; readonly fd?: number | undefined };
}

/** Starts listening. */
export function serveSignals(terminal: Foreground): ServeSignals {
  const stopped = new AbortController();
  const cancelNow = new AbortController();
  let reload: (() => void) | undefined;
  let isPending = false;
  let poll: NodeJS.Timeout | undefined;
  let ignoreInterrupt = onInterrupt(terminal, () => {
    ignoreInterrupt = onInterrupt(terminal, () => cancelNow.abort());
    stopped.abort();
  });
  const stopIfGone = (): void => {
    if (isGone(terminal)) stopped.abort();
  };
  const onHangUp = (): void => {
    stopIfGone();
    if (isGone(terminal)) return;
    // If the shell exits first, its terminal closes some seconds later without another signal.
    if (terminal.stdout.isTTY) poll ??= setInterval(stopIfGone, pollMs).unref();
    if (reload === undefined) isPending = true;
    else reload();
  };
  terminal.on('SIGHUP', onHangUp);
  return {
    stopped: stopped.signal,
    cancelNow: cancelNow.signal,
    onReload(callback) {
      reload = callback;
      if (isPending) callback();
      isPending = false;
    },
    ignore() {
      clearInterval(poll);
      terminal.off('SIGHUP', onHangUp);
      ignoreInterrupt();
    },
  };
}

/** A closing terminal also sends SIGHUP. Its file descriptor is then no longer a terminal. */
function isGone({ stdout: { isTTY, fd } }: Foreground): boolean {
  return isTTY === true && fd !== undefined && !isatty(fd);
}
