import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { FileChange, WorkspaceEntry } from '@ambit/core/workspace';
import type { UnnamedFile } from '../../spawn/unnamed-file.ts';
import type { OpenWorkspace } from './workspace/open-workspace.ts';
import type { LeftFile } from './workspace/read-left-file.ts';

/** Ambit's folder inside a sandbox. It contains nothing of the host. */
export const ownFolder = '/ambit';

/** A host file or folder that exists inside a sandbox. */
export interface Mount {
  /** Absolute, with links resolved. */
  source: string;
  /** Absolute, inside. */
  target: string;
  writable?: boolean;
  /** `identityOf` of the source. If another file was mounted, nothing runs. Absent: not checked. */
  identity?: string;
}

/** A file or folder that no program sees, and its identity at an earlier time. */
export interface Pin {
  /** As configured. */
  path: string;
  /** Links resolved, and its identity; `undefined`: it did not exist. */
  found: { real: string; identity: string } | undefined;
}

/** A program with the network of the host and the rights of one of its users. */
export interface HostProcess {
  uid: number;
  gid: number;
  name: string;
  /** Its groups, if the daemon is root and becomes that user; absent: the daemon is that user. */
  groups: readonly number[] | undefined;
  /** Checked again before the program runs. */
  pins: readonly Pin[];
  /** Files and folders that must not be visible inside. */
  hidden: readonly string[];
}

/** One program in a root built from nothing. Only the host files named here exist inside. */
export interface SandboxedCommand {
  /** Inside the sandbox; `argv[0]` is an absolute path there. */
  argv: readonly [string, ...string[]];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** The working directory inside. */
  cwd: string;
  mounts: readonly Mount[];
  /** Folders in a mount that are empty and inaccessible inside. */
  hidden?: readonly string[];
  /** Empty readable folders inside. */
  folders?: readonly string[];
  /** Links inside: path → target. */
  links?: Readonly<Record<string, string>>;
  /**
   * A private directory in memory, in addition to `/tmp`; `sandboxFolders` has the sizes of both. `fill` puts
   * the caller's files there, and changes are in `SandboxedRun.files`. It is never written to a disk.
   */
  workspace?: string | undefined;
  /**
   * A file that the program may change or replace, alone in a private directory in memory. `fill`
   * writes it, and its final content is in `SandboxedRun.stateFile`.
   */
  stateFile?: { path: string; bytesMax: number } | undefined;
  /** Read-only files inside that are not host files, by path. */
  contents?: Readonly<Record<string, UnnamedFile>> | undefined;
  /**
   * Whether to run as `Sandbox.hostUser`, who can access granted files. Otherwise the program gets
   * its own host user where possible, and shares no per-user kernel counters.
   */
  ownsFiles?: boolean | undefined;
  /**
   * Whether its programs can connect to each other over Unix sockets. Only if no mount can contain
   * a socket of the host.
   */
  unixSockets?: boolean | undefined;
  /**
   * Set for a proxy at `proxyPort` of the sandbox's own loopback. Connections to it go to
   * `SandboxedProgram.serve`.
   */
  proxy?: ProxyBounds | undefined;
  /** The user whose rights the program has. Absent: a user of the sandbox, and a network namespace of its own. */
  host?: HostProcess | undefined;
}

/** Limits of a sandbox's proxy. */
export interface ProxyBounds {
  /** Connections open at the same time; further ones are closed immediately. */
  connectionsMax: number;
}

/** Limits for all processes of a run together, where the machine can enforce them. */
export interface RunLimits {
  memoryBytes: number;
  /**
   * The bytes that each process may map for writing if no cgroup limits the run; absent: `memoryBytes`.
   */
  dataBytes?: number;
  /** The total of all processes. */
  cpuMs: number;
  /** Processes and threads. */
  processes: number;
  /** Maximum size of each file that is written. */
  fileBytes: number;
}

/** A run's usage; `null` if the machine cannot measure it. */
interface RunUsage {
  cpuMs: number | null;
  memoryPeakBytes: number | null;
}

/** The reason for stopping a run from outside. */
export type StopReason =
  | { status: 'timed-out' }
  /** It used more CPU time than allowed. */
  | { status: 'out-of-cpu' }
  | { status: 'output-too-large' }
  | { status: 'canceled'; reason: string };

/** The end of a program in a sandbox. */
type RunEnd =
  | StopReason
  | { status: 'exited'; exitCode: number }
  /** The kernel killed it, or a process that it depends on, because it ran out of memory. */
  | { status: 'out-of-memory' };

/** A finished run, with the output written by its end, up to `outputBytes`. */
export interface SandboxedRun extends RunUsage {
  end: RunEnd;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** Changes in the workspace; absent if there is none, or the program was stopped. */
  files?: readonly FileChange[] | undefined;
  /** Frees what `files` are read from; absent: all of them are in memory. */
  releaseFiles?: () => void;
  /** The final state file; absent if there is none, or the program was stopped. */
  stateFile?: LeftFile;
  durationMs: number;
}

/** A program in a sandbox that is set up or being set up. It does not run before `release`. */
export interface SandboxedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Puts files into its workspace and writes its state file as soon as the sandbox is set up; only
   * before `release`. Rejects with `INPUT_INVALID` if the files do not fit. Does nothing for a
   * program that has ended.
   */
  fill(files: readonly WorkspaceEntry[], stateFile: Uint8Array | undefined): Promise<void>;
  /** Lets it run as soon as the sandbox is set up and its limits are in force. */
  release(): Promise<void>;
  /**
   * Passes each connection to its proxy to `take`, including waiting ones. All are
   * closed when the program ends. `take` must not throw, and must close its side of each connection
   * that the program has closed.
   */
  serve(take: (connection: Socket) => void): void;
  /** Whether it has ended. True some time before `ended` resolves. */
  hasExited(): boolean;
  /** Resets the usage counters. */
  restart(): void;
  /** Kills the whole process tree immediately. The first reason determines how it ended. */
  stop(reason: StopReason): void;
  /**
   * The end of the program; `setup-failed` if the sandbox could not be set up and the program never ran.
   * Resolves when no process of it is left; never rejects.
   */
  readonly ended: Promise<RunEnd | { status: 'setup-failed'; cause?: Error }>;
  /** Its usage, after its end. */
  usage(): RunUsage;
  /** Its CPU time so far. */
  cpuMs(): number | null;
  /** Its workspace, after its end, which the caller closes; `undefined` if it has none. */
  takeWorkspace(): Promise<OpenWorkspace | undefined>;
  /** Its state file, after its end; `undefined` if it has none. */
  leftState(): Promise<LeftFile | undefined>;
  /** Releases its resources. Ends it first if it still runs. */
  close(): Promise<void>;
}

/** Runs programs in isolation. */
export interface Sandbox {
  /** For the audit record and `ambit doctor`. */
  readonly name: string;
  /** Whether it limits a run as a whole. */
  readonly boundsRuns: boolean;
  /** The host user of programs that own files; absent: the daemon's own user. */
  readonly hostUser?: number | undefined;
  /**
   * Starts a program in a sandbox. `limits` apply to the run as a whole, or to each of its
   * processes if no cgroup is available (`boundsRuns`); absent for Ambit's own helper programs. The
   * caller closes the result.
   *
   * Rejects with `SANDBOX_UNAVAILABLE` if the machine lacks a requirement.
   */
  start(command: SandboxedCommand, limits?: RunLimits): Promise<SandboxedProgram>;
  /** Limits the memory of all runs together. Returns whether the kernel enforces it; absent: it cannot. */
  limitAll?(memoryBytes: number): boolean;
  /** Releases its resources. No run may be in progress. */
  close?(): void | Promise<void>;
}
