/**
 * How a run ended. A failed run is a value, not an exception: the caller gets one of these and the audit
 * log records it.
 *
 * `stderr` is the program's output there, bounded, with undecodable bytes replaced. A run with protocol
 * `command` that was ended includes its output so far (`Written`).
 */
export type Outcome =
  /** `output` is the skill's JSON output; for protocol `command` it is a `CommandOutput`. */
  | { status: 'succeeded'; output: unknown }
  /** The program failed: a non-zero exit, a signal, a WebAssembly trap or a plug-in error. */
  | { status: 'failed'; failure: Failure; stdout?: string; stderr: string }
  /** It exceeded its wall time or its processor time. */
  | ({ status: 'timed-out'; timeoutMs: number } & Written)
  | ({ status: 'timed-out'; cpuMs: number } & Written)
  | ({ status: 'out-of-memory'; memoryBytes: number } & Written)
  | ({ status: 'out-of-fuel'; fuel: number } & Written)
  | ({ status: 'output-too-large'; outputBytes: number } & Written)
  /** The output is not JSON or violates the skill's `output` schema, or the run's state cannot be saved. */
  | { status: 'output-invalid'; detail: string; stderr: string }
  | ({ status: 'capability-violated'; capability: string; detail: string } & Written)
  /** The caller or a shutdown ended the run. */
  | ({ status: 'canceled'; reason: string } & Written)
  /** The daemon died during the run. Occurs only in the audit log. */
  | { status: 'interrupted' };

/**
 * What a command had written when it was ended, up to `outputBytes` of each stream. Both are absent for
 * protocol `json`, whose stdout is unchecked, and for a run that never began.
 */
export interface Written {
  stdout?: string;
  stderr?: string;
}

/** How a program failed. `trap` is the message of the engine or the plug-in. */
export type Failure = { exitCode: number } | { signal: string } | { trap: string };

/** The name of an outcome. */
export type OutcomeStatus = Outcome['status'];

/** The output of a skill with protocol `command` that exits with 0. */
export interface CommandOutput {
  exitCode: 0;
  stdout: string;
  stderr: string;
}

/** What a run consumed, as measured; `null` if the platform cannot measure it. */
export interface Usage {
  /** From the start of the sandbox to its end. */
  durationMs: number;
  /** From joining the queue to getting a slot. */
  queueMs: number;
  cpuMs: number | null;
  memoryPeakBytes: number | null;
  fuelConsumed: number | null;
}
