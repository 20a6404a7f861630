/**
 * How a run ended. A run that ends badly is a value, not an exception: whatever a skill does, the caller gets one of
 * these and the audit log records it.
 *
 * `stderr` is what the program wrote there, bounded, with undecodable bytes replaced. A run with protocol `command` that was
 * ended keeps what it had written (`Written`).
 */
export type Outcome =
  /** `output` is the skill's JSON output; for protocol `command` it is a `CommandOutput`. */
  | { status: 'succeeded'; output: unknown }
  /** The program answered no: a non-zero exit, death by a signal, or a WebAssembly trap or plug-in error. */
  | { status: 'failed'; failure: Failure; stdout?: string; stderr: string }
  /** It was over its wall time, or its processor time. */
  | ({ status: 'timed-out'; timeoutMs: number } & Written)
  | ({ status: 'timed-out'; cpuMs: number } & Written)
  | ({ status: 'out-of-memory'; memoryBytes: number } & Written)
  | ({ status: 'out-of-fuel'; fuel: number } & Written)
  | ({ status: 'output-too-large'; outputBytes: number } & Written)
  /** The output is not JSON, or does not match the skill's own `output` schema; or the state that the run left cannot be saved. */
  | { status: 'output-invalid'; detail: string; stderr: string }
  | ({ status: 'capability-violated'; capability: string; detail: string } & Written)
  /** The caller, or a shutdown, ended the run. */
  | ({ status: 'canceled'; reason: string } & Written)
  /** The daemon died during the run. Only ever found in the audit log. */
  | { status: 'interrupted' };

/**
 * What a command had written when it was ended, up to `outputBytes` of each stream. Both are absent for protocol `json`, whose
 * stdout nobody has checked, and for a run that never began.
 */
export interface Written {
  stdout?: string;
  stderr?: string;
}

/** In what way a program said no. `trap` is the engine's or the plug-in's own message. */
export type Failure = { exitCode: number } | { signal: string } | { trap: string };

/** How a run can end, in one word. */
export type OutcomeStatus = Outcome['status'];

/** What a skill with protocol `command` answers when it exits with 0. */
export interface CommandOutput {
  exitCode: 0;
  stdout: string;
  stderr: string;
}

/** What a run consumed. `null` where the platform cannot tell: a number here was measured. */
export interface Usage {
  /** From the start of the sandbox to its end. */
  durationMs: number;
  /** From joining the queue to having a place to run in. */
  queueMs: number;
  cpuMs: number | null;
  memoryPeakBytes: number | null;
  fuelConsumed: number | null;
}
