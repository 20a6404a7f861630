// The protocol between the daemon and a host process: frames of a JSON header and bytes.
// host/frames.mjs and frames.ts implement it. Messages from a host are validated, because a skill
// may have taken over the host.
import { hostCallsMax, usedBounds } from '@ambit/core/outcome';
import { z } from 'zod';
import type { TakeBounds } from '../../process/sandbox/workspace/take-files.ts';

/**
 * One call, for a waiting host. The body is the entry's parts, if included, then the input, then
 * the files.
 */
export interface CallFrame {
  type: 'call';
  /** The entry's cache key. */
  key: string;
  /** Keys of evicted entries. */
  drop: readonly string[];
  /** Absent if the host has the entry. */
  entry?: EntryParts;
  /** Only compiles and links the entry, to check that it can be called. */
  loadOnly?: true;
  inputBytes: number;
  /** The caller's files, links and empty folders in the workspace; absent if the call has none. */
  files?: readonly (
    | { path: string; bytes: number }
    | { path: string; link: string }
    | { path: string; folder: true }
  )[];
  bounds: HostBounds;
  world: World;
}

/** The parts of an entry. */
export type EntryParts =
  /**
   * `function` is the plug-in's called export; absent: `run`. `asCommand`: it must be a WASI
   * command.
   */
  | { kind: 'module'; untrusted: boolean; function?: string | undefined; asCommand: boolean }
  /** The body contains the files one after another; `path` is the called one. */
  | { kind: 'script'; path: string; files: readonly { path: string; bytes: number }[] }
  /**
   * The body contains the skill's Python files one after another; `others` are its other files,
   * which the host requests.
   */
  | {
      kind: 'python';
      target: PythonTarget;
      files: readonly { path: string; bytes: number }[];
      others: readonly { path: string; bytes: number }[];
    };

/** The program that Python runs: a file by its path in the skill's folder, or a module by its name. */
export interface PythonTarget {
  kind: 'file' | 'module';
  name: string;
}

/** The limits of one call. */
export interface HostBounds {
  memoryBytes: number;
  outputBytes: number;
  fuel: number;
  /** The number of elements by which all tables together may grow. */
  tableGrowth: number;
  /** For its workspace and temporary folder together. */
  diskBytes: number;
  /** Limits for the returned workspace changes. */
  takeBounds: TakeBounds;
}

/** The data and files that host functions give a call. */
export interface World {
  skillId: string;
  context: unknown;
  /** The granted variables; a variable without a value is not in `env`. */
  grantedEnv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute paths. */
  files: { read: readonly string[]; write: readonly string[] };
  /** Maximum size of each file that is written. */
  fileBytes: number;
  /**
   * The arguments of a call with protocol command, whose stdout is sent as it is written; absent
   * for protocol json.
   */
  args?: readonly string[] | undefined;
}

/** The answer to an `ask` frame. */
export type AnswerFrame =
  /**
   * With `body`, the frame's body is the value itself, as text or bytes, or a member of it. A large
   * text is thus converted to JSON only in the host.
   */
  | { type: 'answer'; value: unknown; body?: 'value' | 'bytes' | 'text' | 'base64' }
  /** An error that the skill may handle. */
  | { type: 'answer'; message: string }
  | { type: 'answer'; violated: { capability: string; detail: string; item: string } };

/**
 * A frame from a host. `bytes` is the body's length: the output written for `log` and `stdout`, the
 * result for `done`.
 */
export type HostFrame =
  | { type: 'ready' }
  | { type: 'log' }
  | { type: 'stdout' }
  | FileFrame
  | { type: 'ask'; name: string; args: readonly unknown[] }
  | DoneFrame;

/** Longer than any text of a host. */
const words = z.string().max(65_536);
const count = z.number().nonnegative();

/** A host process's verdict on a call. */
export const HostVerdict = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('returned') }),
  /** A plug-in that set no output. */
  z.strictObject({ status: z.literal('returned-nothing') }),
  z.strictObject({ status: z.literal('failed'), trap: words }),
  /** A WASI command exited with a code other than 0, or a plug-in with any code. */
  z.strictObject({ status: z.literal('exited'), exitCode: count }),
  z.strictObject({ status: z.literal('out-of-fuel') }),
  /** `item` is the request as a grant would name it, if it can be named. */
  z.strictObject({
    status: z.literal('capability-violated'),
    capability: words,
    detail: words,
    item: words.optional(),
  }),
  z.strictObject({ status: z.literal('out-of-memory') }),
  z.strictObject({ status: z.literal('output-too-large') }),
  /** The entry cannot be called; `problem` continues a sentence that begins with its name. */
  z.strictObject({ status: z.literal('refused'), problem: words }),
]);
export type HostVerdict = z.output<typeof HostVerdict>;

/** A change in the workspace; the body is its content, if included. All come before `done`. */
export const FileFrame = z.object({
  type: z.literal('file'),
  path: words,
  change: z.enum(['created', 'changed', 'deleted']),
  size: count,
  isHere: z.boolean(),
  link: words.optional(),
  folder: z.literal(true).optional(),
  omitted: words.optional(),
});
export type FileFrame = z.output<typeof FileFrame>;

const counts = z
  .array(z.tuple([z.string().max(usedBounds.itemCharactersMax), z.int().positive()]))
  .max(usedBounds.itemsMax);
const total = z.int().nonnegative();

/**
 * The uses of a call that only its host sees: item → count, and the total of items beyond the
 * limits. `workspace` counts uses of the workspace, and `hasEnvironment` shows that the call
 * received its whole environment.
 */
export const HostUses = z.strictObject({
  functions: counts,
  /** The first calls of these functions: name, start and duration in milliseconds since the host received the call. */
  calls: z
    .array(
      z.tuple([
        z.string().max(usedBounds.itemCharactersMax),
        count,
        count,
        z.enum(['returned', 'failed', 'denied']),
      ]),
    )
    .max(hostCallsMax)
    .optional(),
  env: counts,
  read: counts,
  written: counts,
  more: z.strictObject({ env: total, read: total, written: total }),
  workspace: total,
  hasEnvironment: z.boolean(),
});
export type HostUses = z.output<typeof HostUses>;

/** The end of a call. `fuelConsumed` is `null` if nothing has run. */
export const DoneFrame = z.object({
  type: z.literal('done'),
  verdict: HostVerdict,
  fuelConsumed: count.nullable(),
  memoryPeakBytes: count,
  /** Absent if nothing has run. */
  uses: HostUses.optional(),
});
export type DoneFrame = z.output<typeof DoneFrame>;

/** Whether the skill ended by itself. */
export function endedByItself({ verdict: { status } }: DoneFrame): boolean {
  return ['returned', 'returned-nothing', 'exited', 'failed'].includes(status);
}
