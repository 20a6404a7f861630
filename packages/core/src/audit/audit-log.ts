import type { Tier } from '../capability/tier.ts';
import type { AuditEvent, EntryPoint, RecordedPayload } from './audit-event.ts';
import type { CallRecord } from './call-record.ts';

/** The position of an event in the log. */
export interface AuditPosition {
  /** Starts at 1 and increases by 1. */
  sequence: number;
  /** The hash of the chain up to here: `sha256:…`. */
  hash: string;
}

/** Filters for records. Absent filters match all records; the others must all match. */
export interface AuditQuery {
  skill?: string;
  actor?: string;
  outcome?: CallRecord['outcome'];
  tier?: Tier;
  via?: EntryPoint;
  /** A capability that was denied, such as `network`. */
  denied?: string;
  /** Started at or after `since`, and before `until`: milliseconds since the epoch. */
  since?: number;
  until?: number;
  /** Occurs in the stored input or output, compared without case. */
  text?: string;
  executionId?: string;
  /** Only the calls of this chain. */
  parentId?: string;
  /** The maximum number of records, newest first. */
  limit: number;
  /** Only records that started before this sequence: `next` of the previous page. */
  before?: number;
}

/** One page of records, newest first. */
export interface AuditPage {
  records: CallRecord[];
  /**
   * Pass it as `before` for the next page; `null` on the last page. New records do not affect it.
   */
  next: number | null;
  /**
   * Present if the search stopped early: the page may be short or empty, and `next` continues it.
   */
  partial?: true;
}

/** Statistics of calls. Durations are of calls that ran, in milliseconds. */
export interface CallStats {
  calls: number;
  /** Calls that ran and did not succeed. */
  errors: number;
  denied: number;
  running: number;
  /**
   * `null` if nothing ran. For many calls these may be estimates, within 1 % of an actual duration.
   */
  durationMs: { p50: number; p95: number; p99: number } | null;
}

/** The calls to count. Absent filters match all. */
export interface StatsQuery {
  /** Milliseconds since the epoch. Default: from the first call to now. */
  since?: number;
  until?: number;
  skill?: string;
  /** The width of a time bucket. Absent: no buckets. */
  bucketMs?: number;
}

/** Statistics in total, by skill, and over time. */
export interface AuditStats {
  all: CallStats;
  bySkill: readonly (CallStats & { skill: string })[];
  /** In order of time. Buckets without calls are included, with zeros. */
  overTime: readonly (CallStats & { since: number })[];
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

/** The append-only log of all calls. Implementations share one contract suite. */
export interface AuditLog extends AuditReader {
  /**
   * Resolves once the event and its stored payload are durable. Rejects with `AUDIT_UNAVAILABLE` if
   * it cannot be written.
   */
  append(event: AuditEvent, payload?: RecordedPayload): Promise<AuditPosition>;
  /** Writes `call.interrupted` for every record without an end; resolves to their number. */
  interruptOpen(time: number): Promise<number>;
  /**
   * Calls `listener` for each event, in order, once it is durable. Returns a function that stops
   * it.
   */
  follow(listener: (written: { sequence: number; event: AuditEvent }) => void): () => void;
}
