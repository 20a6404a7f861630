import { z } from 'zod';
import { AuditPosition } from './audit-log.ts';
import type { EventReceipt, Inclusion, Receipt } from './signed-statements.ts';

/** Reasons why a log, or one of its checkpoints, is invalid. Stable: monitoring may act on them. */
const flawReasons = [
  /** An event or its row was altered. */
  'edited',
  /** Events are missing from the middle or the beginning without a `log.pruned` event. */
  'removed',
  /** An event was inserted. */
  'inserted',
  /** Events are not in their original order. */
  'reordered',
  /** The log ends before an event that a checkpoint covers. */
  'truncated',
  /** The chain is consistent, but differs from the one that a checkpoint signed. */
  'rewritten',
  /** Too many events at the end have no checkpoint. */
  'unsigned',
  /** The checkpoints are of a log with another id. */
  'swapped',
  /** A checkpoint's signature does not match its key. */
  'checkpoint-forged',
  /** A checkpoint is signed by a key that no trusted key vouches for. */
  'key-unknown',
  /** A `log.pruned` event is not signed by a key of the log. */
  'pruning-forged',
  /** A stored input or output does not match the digest in its event. */
  'payload-changed',
  /** A stored input or output is missing without a `log.pruned` event. */
  'payload-missing',
  /** The list of open records does not match the events. */
  'open-records',
  /** Other tables, or the schema of the database, do not match the events. */
  'side-tables',
  /** The log is valid, but its index does not match: queries may miss records. */
  'index',
] as const;
/** The defect, where it begins, and a message. */
const Flaw = z.strictObject({
  reason: z.enum(flawReasons),
  /** The first invalid or missing event; `null` for the log as a whole. */
  sequence: z.number().nullable(),
  message: z.string(),
});
export type Flaw = z.output<typeof Flaw>;

/** The part of a log that a verification has read. */
const VerifiedExtent = z.strictObject({
  logId: z.string(),
  /** The first event in the log; more than 1 if older ones were pruned; `null` for an empty log. */
  first: z.number().nullable(),
  /** `null` if not even the first event is valid. */
  last: AuditPosition.nullable().describe('The last event that verified.'),
  /** The number of valid events. */
  events: z.number(),
  checkpoints: z.number().describe('The number of valid checkpoints.'),
  /** The last event that a checkpoint covers. Nothing proves who wrote later events. */
  signedThrough: z.number(),
  /**
   * The key that vouches for all others; `null` if none was given and the log's own keys were
   * trusted.
   */
  trustedKeyId: z.string().nullable(),
  /** Also `null` for a log that is not intact. */
  indexedThrough: z
    .number()
    .nullable()
    .describe(
      'The last event up to which the index was compared with the log; `null` if it was not compared.',
    ),
});

/**
 * The result of verifying a whole log. `intact`: nothing was altered, as far as keys and
 * checkpoints can show.
 */
export const Verification = z
  .union([
    VerifiedExtent.extend({ intact: z.literal(true) }),
    VerifiedExtent.extend({ intact: z.literal(false), ...Flaw.shape }),
  ])
  .meta({
    id: 'Verification',
    description: 'Whether the log is unchanged, and if not, the first flaw.',
  });
export type Verification = z.output<typeof Verification>;

/** Whether a receipt is validly signed, and matches the log if one is given. */
export type ReceiptCheck =
  | { valid: true; receipt: Receipt | EventReceipt; keyId: string; inclusion?: Inclusion | undefined }
  | { valid: false; reason: ReceiptFlaw; message: string };

/** Reasons why a receipt is invalid. */
type ReceiptFlaw =
  /** Not a receipt, or another kind. */
  | 'malformed'
  /** Changed after it was signed, or its proof for the tree of a cluster does not hold. */
  | 'forged'
  /** Signed by a key other than the given one. */
  | 'key-unknown'
  /** The receipt is of a log other than the given one. */
  | 'other-log'
  /** The log lacks its events, or has different ones. */
  | 'unlike-log';
