import type { Receipt } from './signed-statements.ts';

/** Why a log, or one checkpoint of it, is not what it was. Stable: what watches a log may act on them. */
export const flawReasons = [
  /** An event, or what stands beside it in its row, is not what was written there. */
  'edited',
  /** Events are gone from the middle or the beginning, and no `log.pruned` speaks of them. */
  'removed',
  /** An event stands where none was written. */
  'inserted',
  /** Events stand in another order than they were written in. */
  'reordered',
  /** The log ends before a place that a checkpoint has seen. */
  'truncated',
  /** The chain holds in itself and is another than the one that a checkpoint has signed. */
  'rewritten',
  /** More events than could be are without a checkpoint after them. */
  'unsigned',
  /** The checkpoints are of a log with another id. */
  'swapped',
  /** A checkpoint's signature is not its key's. */
  'checkpoint-forged',
  /** A checkpoint is signed by a key that nobody trusted speaks for. */
  'key-unknown',
  /** An event says that the log was pruned, and none of its keys has signed for that. */
  'pruning-forged',
  /** What was kept of an input or an output is not what the event has the digest of. */
  'payload-changed',
  /** What the event says was kept is gone, and no `log.pruned` speaks of it. */
  'payload-missing',
  /** The list of records without an end is not the one that follows from the events. */
  'open-records',
  /** What else is kept beside the events, or built into the database, does not follow from them. */
  'side-tables',
  /** The log is what was written, and the index beside it does not follow from it: queries may miss records. */
  'index',
] as const;
type FlawReason = (typeof flawReasons)[number];

/** What is wrong, where it begins, and in a sentence. */
export interface Flaw {
  reason: FlawReason;
  /** The first bad event, or where one is missing; `null` for the log as a whole. */
  sequence: number | null;
  message: string;
}

/** What came of reading a whole log again. `intact` says that it is what was written, as far as keys and checkpoints reach. */
export type Verification = VerifiedExtent & ({ intact: true } | ({ intact: false } & Flaw));

/** Whether a receipt is what its key has signed, and, where a log was named, what that log says. */
export type ReceiptCheck =
  | { valid: true; receipt: Receipt; keyId: string }
  | { valid: false; reason: ReceiptFlaw; message: string };

/** Why a receipt proves nothing. */
type ReceiptFlaw =
  /** No receipt at all, or of another kind. */
  | 'malformed'
  /** Changed after it was signed. */
  | 'forged'
  /** Signed by another key than the one that was given. */
  | 'key-unknown'
  /** Of another log than the one that it was compared with. */
  | 'other-log'
  /** That log does not have its events, or says something else of them. */
  | 'unlike-log';

/** How far a verification came. */
interface VerifiedExtent {
  logId: string;
  /** The first event that is there; more than 1 where older ones were pruned; `null` for a log without events. */
  first: number | null;
  /** The last event that was found as it was written: `sha256:…`; `null` when not even the first was. */
  last: { sequence: number; hash: string } | null;
  /** How many were. */
  events: number;
  /** Checkpoints that hold, and the last event that one of them speaks for; later ones anybody could have written. */
  checkpoints: number;
  signedThrough: number;
  /** The key that all others had to be vouched for by; `null` where there was none, and the log's own were believed. */
  trustedKeyId: string | null;
  /**
   * The last event up to which the index beside the log was compared with it; `null` where there is none of this log, or
   * where the log itself is not intact.
   */
  indexedThrough: number | null;
}
