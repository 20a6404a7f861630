// What the daemon and a host process say to one another: frames of a header in JSON and bytes. host/frames.mjs and
// frames.ts are the two ends.

/** One call, for a host that waits. The body is the entry's parts, if it comes along, and then the input. */
export interface CallFrame {
  type: 'call';
  /** What the entry is kept under. */
  key: string;
  /** Keys of entries that make room. */
  drop: readonly string[];
  /** Absent for an entry that the host has. */
  entry?: EntryParts;
  inputBytes: number;
  bounds: HostBounds;
  world: World;
}

/** What an entry is made of. */
export type EntryParts =
  | { kind: 'module'; untrusted: boolean }
  /** The body has the files one after another; `path` is the one that is called. */
  | { kind: 'script'; path: string; files: readonly { path: string; bytes: number }[] };

/** What one call is held to. */
export interface HostBounds {
  memoryBytes: number;
  outputBytes: number;
  fuel: number;
  /** By how many elements all tables together may grow. */
  tableGrowth: number;
}

/** What a call may know and touch through host functions. */
export interface World {
  skillId: string;
  context: unknown;
  /** Those that are granted; one that is not set is not in `env`. */
  grantedEnv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute paths. */
  files: { read: readonly string[]; write: readonly string[] };
}

/** The answer to an `ask`. */
export type AnswerFrame =
  | { type: 'answer'; value: unknown }
  /** Something that the skill may deal with. */
  | { type: 'answer'; message: string }
  | { type: 'answer'; violated: { capability: string; detail: string } };

/** What a host says. `bytes` is the body's length: of a `log` the lines, of a `done` the output. */
export type HostFrame =
  | { type: 'ready' }
  | { type: 'log' }
  | { type: 'ask'; name: string; args: readonly unknown[] }
  | DoneFrame;

/** How a call ended. `fuelConsumed` is `null` when nothing has run. */
export interface DoneFrame {
  type: 'done';
  verdict: HostVerdict;
  fuelConsumed: number | null;
  memoryPeakBytes: number;
}

/** What a host process says of a call. */
export type HostVerdict =
  | { status: 'returned' }
  | { status: 'failed'; trap: string }
  /** A WASI command ended itself with another code than 0, or a plug-in with any. */
  | { status: 'exited'; exitCode: number }
  | { status: 'out-of-fuel' }
  | { status: 'capability-violated'; capability: string; detail: string }
  | { status: 'out-of-memory' }
  | { status: 'output-too-large' }
  /** The entry is not one that can be called; `problem` goes on from its name. */
  | { status: 'refused'; problem: string };
