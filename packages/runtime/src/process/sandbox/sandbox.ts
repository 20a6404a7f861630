import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { FileChange, WorkspaceFile } from '@ambit/core/internal';
import type { UnnamedFile } from './unnamed-file.ts';
import type { LeftFile } from './workspace/read-left-file.ts';

/** A place of the host that exists inside a sandbox. */
export interface Mount {
  /** Absolute, its links already resolved. */
  source: string;
  /** Absolute, inside. */
  target: string;
  writable?: boolean;
  /** What `identityOf` says of the source. Nothing runs where something else has been mounted; absent: not looked at. */
  identity?: string;
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
  /** Folders beneath a mount that are empty inside, and closed. */
  hidden?: readonly string[];
  /** Folders inside that are empty, and can be read. */
  folders?: readonly string[];
  /** Links inside: path → target. */
  links?: Readonly<Record<string, string>>;
  /**
   * A private directory in memory, beside `/tmp`. `fill` puts the caller's files there, and what the program leaves
   * different is in `SandboxedRun.files`. Nothing of it ever lies on a disk.
   */
  workspace?: string | undefined;
  /**
   * A file that the program may change or replace, alone in a private directory in memory. `fill` writes it, and what it is at
   * the end is in `SandboxedRun.stateFile`.
   */
  stateFile?: { path: string; bytesMax: number } | undefined;
  /** Files inside that no file of the host is behind, by path. They can be read. */
  contents?: Readonly<Record<string, UnnamedFile>> | undefined;
  /**
   * Whether to run as `Sandbox.hostUser`, to whom granted files are open. Otherwise the program gets its own host user where
   * possible, so that it shares no per-user kernel counters.
   */
  ownsFiles?: boolean | undefined;
  /** Whether its programs can connect to one another over Unix sockets. Only where no mount can hold a socket of the host. */
  unixSockets?: boolean | undefined;
  /**
   * Whether there is a proxy at `proxyPort` of the sandbox's own loopback. What connects there is handed to
   * `SandboxedProgram.serve`.
   */
  proxy?: ProxyBounds | undefined;
}

/** What a sandbox may do at its proxy. */
export interface ProxyBounds {
  /** Open at a time; more are closed at once. */
  connectionsMax: number;
}

/** Bounds for everything in a run together, where the machine can keep them. */
export interface RunLimits {
  memoryBytes: number;
  /** What each process may map for writing where no cgroup limits the run; absent: `memoryBytes`. */
  dataBytes?: number;
  /** Of all processes, added up. */
  cpuMs: number;
  /** Processes and threads. */
  processes: number;
  /** Maximum size of each file that is written. */
  fileBytes: number;
}

/** What a run has used; `null` where the machine cannot tell. */
interface RunUsage {
  cpuMs: number | null;
  memoryPeakBytes: number | null;
}

/** Why a run was ended from outside. */
export type StopReason =
  | { status: 'timed-out' }
  /** It had used the processor for longer than it may. */
  | { status: 'out-of-cpu' }
  | { status: 'output-too-large' }
  | { status: 'canceled'; reason: string };

/** How a program in a sandbox ended. */
type RunEnd =
  | StopReason
  | { status: 'exited'; exitCode: number }
  /** The kernel ended it, or something in it without which it failed, for want of memory. */
  | { status: 'out-of-memory' };

/** A finished run. `stdout` and `stderr` hold what it had written by its end, within the bounds. */
export interface SandboxedRun extends RunUsage {
  end: RunEnd;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** What is different in the workspace; absent where there is none, or the program did not end by itself. */
  files?: readonly FileChange[];
  /** What its state file is now; absent where it has none, or did not end by itself. */
  stateFile?: LeftFile;
  durationMs: number;
}

/** A program behind its walls, which stand or are rising. Nothing of it runs before `release`. */
export interface SandboxedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Puts files into its workspace and writes its state file, once the walls stand; only before `release`. Rejects with
   * `INPUT_INVALID` for files that do not fit. Does nothing for a program that has ended.
   */
  fill(files: readonly WorkspaceFile[], stateFile: Uint8Array | undefined): Promise<void>;
  /** Lets it run, once the walls stand and its ceilings are in force. */
  release(): Promise<void>;
  /**
   * Hands over each connection that it makes to its proxy; those that it made before have waited. All are closed when it
   * ends. `take` must not throw, and closes its side of each that the program has closed.
   */
  serve(take: (connection: Socket) => void): void;
  /** Whether it has ended, which is known some time before `ended`. */
  hasExited(): boolean;
  /** Counts what it uses from here on. */
  restart(): void;
  /** Kills the whole process tree at once. The first reason is how it ended. */
  stop(reason: StopReason): void;
  /**
   * How it ended; `not-raised` when the walls could not be raised, and nothing has run. Resolves when nothing of it
   * lives any more; never rejects.
   */
  readonly ended: Promise<RunEnd | { status: 'not-raised'; cause?: Error }>;
  /** What it has used, after its end. */
  usage(): RunUsage;
  /** The processor time that it has used so far. */
  cpuMs(): number | null;
  /** What is different in its workspace, after its end; nothing where it has none. */
  changes(): Promise<FileChange[] | undefined>;
  /** What its state file is, after its end; nothing where it has none. */
  leftState(): Promise<LeftFile | undefined>;
  /** Gives back what it holds of the machine, and ends it first where it has not ended. */
  close(): Promise<void>;
}

/** A way of putting walls around a program. */
export interface Sandbox {
  /** For the audit record and `ambit doctor`. */
  readonly name: string;
  /** Whether it holds a run as a whole to its ceilings. */
  readonly boundsRuns: boolean;
  /** The host user of a program that owns files; absent: the daemon's own user. */
  readonly hostUser?: number | undefined;
  /**
   * Starts a sandbox around a program. `ceilings` limit the run as a whole, or each of its processes where no cgroup can
   * (`boundsRuns`); absent for programs of our own that only look around. The caller closes what it gets.
   *
   * Rejects with `SANDBOX_UNAVAILABLE` when the machine lacks what the walls are made of.
   */
  start(command: SandboxedCommand, ceilings?: RunLimits): Promise<SandboxedProgram>;
  /** Gives back what it holds of the machine. No run may be under way. */
  close?(): void;
}
