import type { Environment } from '@ambit/runtime';
/** One of the two streams that a command prints to. */
export interface Output {
  write(text: string | Uint8Array): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Absent if the output is not a file. */
  readonly fd?: number | undefined;
  hasColors?(): boolean;
}

type TerminalSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The environment of a command; `process` implements it. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array | string> & {
    readonly isTTY?: boolean | undefined;
    /** Ends pending reads. */
    destroy(): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Only `NO_COLOR`, `FORCE_COLOR` and `AMBIT_DEBUG` are read. They affect what is printed, never what is done. */
  readonly env: Environment;
  cwd(): string;
  on(signal: TerminalSignal, listener: () => void): unknown;
  off(signal: TerminalSignal, listener: () => void): unknown;
}

/**
 * Calls `listener` at the first Ctrl-C or SIGTERM. The second one has its default effect: it ends the process immediately.
 * Returns a function that stops listening.
 */
export function onInterrupt(terminal: Pick<Terminal, 'on' | 'off'>, listener: () => void): () => void {
  const ignore = (): void => {
    terminal.off('SIGINT', once);
    terminal.off('SIGTERM', once);
  };
  const once = (): void => {
    ignore();
    listener();
  };
  terminal.on('SIGINT', once);
  terminal.on('SIGTERM', once);
  return ignore;
}
