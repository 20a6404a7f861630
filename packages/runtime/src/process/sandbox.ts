/** A place of the host that exists inside a sandbox. */
export interface Mount {
  /** Absolute, its links already resolved. */
  source: string;
  /** Absolute, inside. */
  target: string;
  writable?: boolean;
}

/** One program in a root built from nothing. Nothing of the host exists inside but what is named here. */
export interface SandboxedCommand {
  /** Inside the sandbox; `argv[0]` is an absolute path there. */
  argv: readonly [string, ...string[]];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** The working directory inside. */
  cwd: string;
  mounts: readonly Mount[];
  /** Links inside: path → target. */
  links?: Readonly<Record<string, string>>;
  /** Empty private directories in memory, inside. `/tmp` is always one. */
  directories?: readonly string[];
}

/** What a run is given and held to. */
export interface RunBounds {
  stdin: Uint8Array;
  timeoutMs: number;
  /** For stdout and for stderr, each. */
  outputBytes: number;
}

/** How a program in a sandbox ended. `stdout` and `stderr` hold what it had written by then, within the bounds. */
export interface SandboxedRun {
  end:
    | { status: 'exited'; exitCode: number }
    | { status: 'timed-out' }
    | { status: 'output-too-large' }
    | { status: 'canceled'; reason: string };
  stdout: Uint8Array;
  stderr: Uint8Array;
  durationMs: number;
  cpuMs: number | null;
  memoryPeakBytes: number | null;
}

/** A way of putting walls around a program. */
export interface Sandbox {
  /** For the audit record and `ambit doctor`. */
  readonly name: string;
  /**
   * Runs a program to its end. Nothing of it is left afterwards: when the deadline passes, the output grows too large
   * or `signal` aborts, the whole process tree is killed first.
   *
   * Rejects with `SANDBOX_UNAVAILABLE` when the walls could not be raised; the program has not run then.
   */
  run(command: SandboxedCommand, bounds: RunBounds, signal: AbortSignal): Promise<SandboxedRun>;
}
