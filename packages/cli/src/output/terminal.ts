import type { Environment } from '@ambit/runtime';
import type { SignalSource } from '@ambit/server/signals';
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

/** The environment of a command; `process` implements it. */
export interface Terminal extends SignalSource {
  readonly stdin: AsyncIterable<Uint8Array | string> & {
    readonly isTTY?: boolean | undefined;
    /** Ends pending reads. */
    destroy(): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  cwd(): string;
}
