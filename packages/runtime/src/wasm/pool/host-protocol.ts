// What the daemon and a host process say to one another: frames of a header in JSON and bytes. host/frames.mjs and
// frames.ts are the two ends. What comes from a host is parsed: something inside may have got hold of it.
import { usedBounds } from '@ambit/core/internal';
import { z } from 'zod';
import type { TakeBounds } from '../../process/sandbox/workspace/take-files.ts';

/** One call, for a host that waits. The body is the entry's parts, if it comes along, then the input, then the files. */
export interface CallFrame {
  type: 'call';
  /** What the entry is kept under. */
  key: string;
  /** Keys of entries that make room. */
  drop: readonly string[];
  /** Absent for an entry that the host has. */
  entry?: EntryParts;
  /** The entry is only compiled and linked: to know whether it can be called. */
  loadOnly?: true;
  inputBytes: number;
  /** What the caller has put into the workspace; absent: the call has none. */
  files?: readonly { path: string; bytes: number }[];
  bounds: HostBounds;
  world: World;
}

/** What an entry is made of. */
export type EntryParts =
  /** `function` is the export of a plug-in that is called; absent: `run`. `asCommand`: it has to be a WASI command. */
  | { kind: 'module'; untrusted: boolean; function?: string; asCommand: boolean }
  /** The body has the files one after another; `path` is the one that is called. */
  | { kind: 'script'; path: string; files: readonly { path: string; bytes: number }[] };

/** What one call is held to. */
export interface HostBounds {
  memoryBytes: number;
  outputBytes: number;
  fuel: number;
  /** By how many elements all tables together may grow. */
  tableGrowth: number;
  /** Of its workspace and its temporary folder together. */
  diskBytes: number;
  /** How much of its workspace is handed back. */
  takeBounds: TakeBounds;
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
  /** Maximum size of each file that is written. */
  fileBytes: number;
  /** The arguments of a call with protocol command, which has its stdout as it is written; absent for protocol json. */
  args?: readonly string[];
}

/** The answer to an `ask`. */
export type AnswerFrame =
  /**
   * With `body` the frame's body is the value itself, as text or bytes, or a member of it: so large a text is no JSON until it
   * is in the host.
   */
  | { type: 'answer'; value: unknown; body?: 'value' | 'bytes' | 'text' | 'base64' }
  /** Something that the skill may deal with. */
  | { type: 'answer'; message: string }
  | { type: 'answer'; violated: { capability: string; detail: string; item: string } };

/** What a host says. `bytes` is the body's length: of a `log` or `stdout` what was written, of a `done` the output. */
export type HostFrame =
  | { type: 'ready' }
  | { type: 'log' }
  | { type: 'stdout' }
  | FileFrame
  | { type: 'ask'; name: string; args: readonly unknown[] }
  | DoneFrame;

/** More than any host has to say of a call. */
const words = z.string().max(65_536);
const count = z.number().nonnegative();

/** What a host process says of a call. */
export const HostVerdict = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('returned') }),
  /** A plug-in that set no output. */
  z.strictObject({ status: z.literal('returned-nothing') }),
  z.strictObject({ status: z.literal('failed'), trap: words }),
  /** A WASI command ended itself with another code than 0, or a plug-in with any. */
  z.strictObject({ status: z.literal('exited'), exitCode: count }),
  z.strictObject({ status: z.literal('out-of-fuel') }),
  /** `item` is what was asked for as a grant would name it, where it can be named. */
  z.strictObject({
    status: z.literal('capability-violated'),
    capability: words,
    detail: words,
    item: words.optional(),
  }),
  z.strictObject({ status: z.literal('out-of-memory') }),
  z.strictObject({ status: z.literal('output-too-large') }),
  /** The entry is not one that can be called; `problem` goes on from its name. */
  z.strictObject({ status: z.literal('refused'), problem: words }),
]);
export type HostVerdict = z.output<typeof HostVerdict>;

/** Something that is different in the workspace; the body is its content, if that is here. All come before the `done`. */
export const FileFrame = z.object({
  type: z.literal('file'),
  path: words,
  change: z.enum(['created', 'changed', 'deleted']),
  size: count,
  isHere: z.boolean(),
  omitted: words.optional(),
});
export type FileFrame = z.output<typeof FileFrame>;

const counts = z
  .array(z.tuple([z.string().max(usedBounds.itemCharactersMax), z.int().positive()]))
  .max(usedBounds.itemsMax);
const total = z.int().nonnegative();

/**
 * What a call used, as far as only its host sees it: item → how often, and uses of items beyond the bounds together.
 * `workspace` is how often it used its workspace, and `hasEnvironment` whether it was given its environment whole.
 */
export const HostUses = z.strictObject({
  functions: counts,
  env: counts,
  read: counts,
  written: counts,
  more: z.strictObject({ env: total, read: total, written: total }),
  workspace: total,
  hasEnvironment: z.boolean(),
});
export type HostUses = z.output<typeof HostUses>;

/** How a call ended. `fuelConsumed` is `null` when nothing has run. */
export const DoneFrame = z.object({
  type: z.literal('done'),
  verdict: HostVerdict,
  fuelConsumed: count.nullable(),
  memoryPeakBytes: count,
  /** Absent when nothing has run. */
  uses: HostUses.optional(),
});
export type DoneFrame = z.output<typeof DoneFrame>;

/** Whether the skill ended by itself, and was not ended. */
export function endedByItself({ verdict: { status } }: DoneFrame): boolean {
  return ['returned', 'returned-nothing', 'exited', 'failed'].includes(status);
}
