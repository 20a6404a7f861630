/**
 * An event of a running call, for live display. Events are not part of the record; the final data is in
 * the `RunResult`. Secrets are redacted in both: the joined texts of `stderr` or `log` are the result's
 * `log`. `stdout` occurs only with protocol `command`; with `json` it is the output, which is checked
 * first.
 */
export type RunEvent =
  /** The call has left the queue. */
  | { kind: 'started' }
  /** Output of the run in arbitrary pieces of UTF-8, never half a character. */
  | { kind: 'stdout' | 'stderr' | 'log'; text: string }
  | Progress;

/** The progress that a run reports. */
export interface Progress {
  kind: 'progress';
  done: number;
  /** The final value of `done`; `undefined`: unknown. */
  total: number | undefined;
  message: string | undefined;
}

/** Receives each event in order. It must return immediately and not throw. */
export interface RunObserver {
  (event: RunEvent): void;
  /**
   * Only of an observer that may get a reader later, or never. It calls `start` once it has one. Until then, events need not be
   * made, and the call runs like one without an observer.
   */
  whenRead?: ((start: () => void) => void) | undefined;
}
