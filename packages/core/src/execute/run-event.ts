/**
 * What happens in a call while it runs. It is told for whoever watches and is no part of the record: what counts in the
 * end is in the `Execution`. Secrets are redacted in it as they are there: the texts of `stderr` or `log`, joined, are the
 * execution's `log`. `stdout` comes with protocol `command` only; with `json` it is the answer, which is checked first.
 */
export type RunEvent =
  /** The call has left the queue. */
  | { kind: 'started' }
  /** As the run wrote it, in pieces of no meaning; UTF-8, and never half a character. */
  | { kind: 'stdout' | 'stderr' | 'log'; text: string }
  | Progress;

/** How far a run says it is. */
export interface Progress {
  kind: 'progress';
  done: number;
  /** What `done` will be at the end; `undefined`: nobody knows. */
  total: number | undefined;
  message: string | undefined;
}

/** Is told of each event, in order. It returns at once and does not throw. */
export type RunObserver = (event: RunEvent) => void;
