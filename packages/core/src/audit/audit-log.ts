import { z } from 'zod';
import type { Tier } from '../capability/tier.ts';
import type { AuditEvent } from './audit-event.ts';
import { CallRecord } from './call-record-schema.ts';
import type { EntryPoint, RecordedPayload } from './event-parts.ts';

/** The position of an event in the log. `sequence` starts at 1 and increases by 1. */
export const AuditPosition = z
  .strictObject({
    sequence: z.number(),
    hash: z.string().describe("The chain's hash up to this event: `sha256:…`."),
    shipped: z
      .literal(false)
      .exactOptional()
      .describe(
        'Only with `cluster.audit: shipped`: the record is not in the database yet, because it did not answer in time. The node has it, and sends it later.',
      ),
  })
  .meta({ id: 'AuditPosition', description: 'The position of an event in the log.' });
export type AuditPosition = z.output<typeof AuditPosition>;

/** Filters for records. Absent filters match all records; the others must all match. */
export interface AuditQuery {
  skill?: string | undefined;
  actor?: string;
  /** `unsuccessful`: every end of a run except success. */
  outcome?: CallRecord['outcome'] | 'unsuccessful';
  tier?: Tier;
  via?: EntryPoint;
  /** A capability that was denied, such as `network`. */
  denied?: string;
  /** Started at or after `since`, and before `until`: milliseconds since the epoch. */
  since?: number | undefined;
  until?: number | undefined;
  /** Occurs in the stored input or output, compared without case. */
  text?: string;
  executionId?: string | undefined;
  /** Only the calls of this chain. */
  parentId?: string;
  /** Only the calls at the node of this name. A daemon that is in no cluster has none. */
  node?: string;
  /** The maximum number of records, newest first. */
  limit: number;
  /** Only records that started before this sequence: `next` of the previous page. */
  before?: number | undefined;
}

/** One page of records, newest first. New records do not affect `next`. */
export const AuditPage = z
  .strictObject({
    records: z.array(CallRecord),
    next: z
      .number()
      .nullable()
      .describe('Pass it as `before` to get the next page; `null` on the last page.'),
    partial: z
      .literal(true)
      .exactOptional()
      .describe(
        'The page ended early because a longer search would have taken too long. Continue with `next`.',
      ),
  })
  .meta({ id: 'AuditPage', description: 'One page of records, newest first.' });
export type AuditPage = z.output<typeof AuditPage>;

/** Statistics of calls. Durations are in milliseconds. */
const CallStats = z.strictObject({
  calls: z.number(),
  errors: z.number().describe('Calls that ran and did not succeed.'),
  denied: z.number(),
  running: z.number(),
  /** For many calls these may be estimates, within 1 % of an actual duration. */
  durationMs: z
    .strictObject({ p50: z.number(), p95: z.number(), p99: z.number() })
    .nullable()
    .describe('Of calls that ran; `null` if none did.'),
});
export type CallStats = z.output<typeof CallStats>;

/** Statistics in total, by skill, and over time. */
export const AuditStats = z
  .strictObject({
    all: CallStats,
    bySkill: z
      .array(
        CallStats.extend({
          skill: z.string(),
          lastAt: z.number().describe('When the last of them began, in milliseconds since the epoch.'),
        }),
      )
      .readonly(),
    /** In order of time. Buckets without calls are included, with zeros. */
    overTime: z
      .array(
        CallStats.extend({
          since: z.number().describe('Start of the bucket, in milliseconds since the epoch.'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'AuditStats', description: 'Statistics of calls.' });
export type AuditStats = z.output<typeof AuditStats>;

/** The calls to count. Absent filters match all. */
export interface StatsQuery {
  /** Milliseconds since the epoch. Default: from the first call to now. */
  since?: number | undefined;
  until?: number | undefined;
  skill?: string | undefined;
  /** The width of a time bucket. Absent: no buckets. */
  bucketMs?: number;
}

/** Read access to the log. Every answer includes everything acknowledged as written. */
export interface AuditReader {
  query(query: AuditQuery): Promise<AuditPage>;
  /** The number of matching records; ignores `limit` and `before`. */
  count(query: Omit<AuditQuery, 'limit' | 'before'>): Promise<number>;
  stats(query: StatsQuery): Promise<AuditStats>;
  /** Streams every matching record, oldest first. */
  export(query: Omit<AuditQuery, 'limit' | 'before'>): AsyncIterable<CallRecord>;
  /** Events in order from a sequence on, including the daemon's. */
  events(
    from: number,
    limit: number,
  ): Promise<readonly { sequence: number; hash: string; event: AuditEvent }[]>;
  close(): Promise<void>;
}

/** Options of writing an event. */
export interface AppendOptions {
  /** Whether it may wait a few milliseconds for a later event, to be written together. Absent: it may not. */
  mayWait?: boolean;
}

/** The append-only log of all calls. Implementations share one contract suite. */
export interface AuditLog extends AuditReader {
  /**
   * Resolves once the event and its stored payload are durable. Rejects with `AUDIT_UNAVAILABLE` if
   * it cannot be written.
   */
  append(event: AuditEvent, payload?: RecordedPayload, options?: AppendOptions): Promise<AuditPosition>;
  /** Writes `call.interrupted` for every record without an end; resolves to their number. */
  interruptOpen(time: number): Promise<number>;
  /**
   * Calls `listener` for each event, in order, once it is durable. Returns a function that stops
   * it.
   */
  follow(listener: (written: { sequence: number; event: AuditEvent }) => void): () => void;
}
