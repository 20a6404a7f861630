import type { FileChange, WorkspaceFile } from '@ambit/core';

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
  /** Folders beneath a mount that are empty inside. */
  hidden?: readonly string[];
  /** Links inside: path → target. */
  links?: Readonly<Record<string, string>>;
  /**
   * A private directory in memory, beside `/tmp`, with the caller's files in it when the program starts. What the
   * program leaves different there is in `SandboxedRun.files`. Nothing of it ever lies on a disk.
   */
  workspace?: { path: string; files: readonly WorkspaceFile[] } | undefined;
}

/** What a run is given and held to. */
export interface RunBounds {
  stdin: Uint8Array;
  timeoutMs: number;
  /** For stdout and for stderr, each. */
  outputBytes: number;
  /** What the kernel shall hold the whole run to; absent for programs of our own that only look around. */
  ceilings?: RunCeilings;
}

/** Bounds for everything in a run together, where the machine can keep them. */
export interface RunCeilings {
  memoryBytes: number;
  /** Of all processes, added up. */
  cpuMs: number;
  /** Processes and threads. */
  processes: number;
}

/** How a program in a sandbox ended. `stdout` and `stderr` hold what it had written by then, within the bounds. */
export interface SandboxedRun {
  end:
    | { status: 'exited'; exitCode: number }
    | { status: 'timed-out' }
    /** It had used the processor for longer than it may. */
    | { status: 'out-of-cpu' }
    /** The kernel ended it, or something in it without which it failed, for want of memory. */
    | { status: 'out-of-memory' }
    | { status: 'output-too-large' }
    | { status: 'canceled'; reason: string };
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** What is different in the workspace; absent where there is none, or the program did not end by itself. */
  files?: readonly FileChange[];
  durationMs: number;
  cpuMs: number | null;
  memoryPeakBytes: number | null;
}

/** A way of putting walls around a program. */
export interface Sandbox {
  /** For the audit record and `ambit doctor`. */
  readonly name: string;
  /** Whether it holds a run as a whole to `RunBounds.ceilings`. */
  readonly boundsRuns: boolean;
  /** The user of the host that a program inside is; absent: the daemon's own. */
  readonly hostUser?: number | undefined;
  /**
   * Runs a program to its end. Nothing of it is left afterwards: when the deadline passes, the output grows too large
   * or `signal` aborts, the whole process tree is killed first.
   *
   * Rejects with `SANDBOX_UNAVAILABLE` when the walls could not be raised; the program has not run then.
   */
  run(command: SandboxedCommand, bounds: RunBounds, signal: AbortSignal): Promise<SandboxedRun>;
  /** Gives back what it holds of the machine. No run may be under way. */
  close?(): void;
}
