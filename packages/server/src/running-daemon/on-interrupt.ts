type ControlSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The signals of a process; `process` implements it. */
export interface SignalSource {
  on(signal: ControlSignal, listener: () => void): unknown;
  off(signal: ControlSignal, listener: () => void): unknown;
}

/**
 * Calls `listener` at the first Ctrl-C or SIGTERM. The second one has its default effect: it ends the process immediately.
 * Returns a function that stops listening.
 */
export function onInterrupt(source: SignalSource, listener: () => void): () => void {
  const ignore = (): void => {
    source.off('SIGINT', once);
    source.off('SIGTERM', once);
  };
  const once = (): void => {
    ignore();
    listener();
  };
  source.on('SIGINT', once);
  source.on('SIGTERM', once);
  return ignore;
}
