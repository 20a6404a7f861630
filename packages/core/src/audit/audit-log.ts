import type { Tier } from '../capability/tier.ts';
import type { AuditEvent, EntryPoint, RecordedPayload } from './audit-event.ts';
import type { CallRecord } from './call-record.ts';

/** Where an event stands in the log. */
export interface AuditPosition {
  /** 1 for the first, one more for each. */
  sequence: number;
  /** The chain's hash up to here: `sha256:…`. */
  hash: string;
}

/** Which records to show. Absent means all; what is given has to hold together. */
export interface AuditQuery {
  skill?: string;
  actor?: string;
  outcome?: CallRecord['outcome'];
  tier?: Tier;
  via?: EntryPoint;
  /** A capability of which something was denied: `network`. */
  denied?: string;
  /** Opened at or after, and before: milliseconds since the epoch. */
  since?: number;
  until?: number;
  /** Stands in what was kept of input or output, compared without case. */
  text?: string;
  executionId?: string;
  /** Only the links of this chain. */
  parentId?: string;
  /** At most this many, newest first. */
  limit: number;
  /** Only records that opened before this sequence: the `next` of the page before. */
  before?: number;
}

/** One page of records, newest first. */
export interface AuditPage {
  records: CallRecord[];
  /** Pass it as `before` for the next page; `null` on the last. Records that come meanwhile do not move it. */
  next: number | null;
  /** There when looking further would have taken long: the page may be short, or empty, and `next` goes on from there. */
  partial?: true;
}

/** How calls went. Durations are of calls that ran, in milliseconds. */
export interface CallStats {
  calls: number;
  /** Ended in any other way than succeeded, and ran. */
  errors: number;
  denied: number;
  running: number;
  /** `null` where nothing ran. Of many calls they may be estimates, within 1 % of a duration that there was. */
  durationMs: { p50: number; p95: number; p99: number } | null;
}

/** Which calls the figures are of. Absent means all. */
export interface StatsQuery {
  /** Milliseconds since the epoch; absent: from the first, to now. */
  since?: number;
  until?: number;
  skill?: string;
  /** The width of a bucket over time; absent: none are made. */
  bucketMs?: number;
}

/** What the calls come to: all of them, by skill, and over time. */
export interface AuditStats {
  all: CallStats;
  bySkill: readonly (CallStats & { skill: string })[];
  /** In order of time; a bucket without a call is there, with zeros. */
  overTime: readonly (CallStats & { since: number })[];
}

/** The half of the log that changes nothing. What has been acknowledged as written is in every answer. */
export interface AuditReader {
  query(query: AuditQuery): Promise<AuditPage>;
  /** How many records fit; `limit` and `before` do not matter. */
  count(query: Omit<AuditQuery, 'limit' | 'before'>): Promise<number>;
  stats(query: StatsQuery): Promise<AuditStats>;
  /** Every record that fits, oldest first, without holding them all. */
  export(query: Omit<AuditQuery, 'limit' | 'before'>): AsyncIterable<CallRecord>;
  /** Events in order from a sequence on, of the daemon's own too. */
  events(
    from: number,
    limit: number,
  ): Promise<readonly { sequence: number; hash: string; event: AuditEvent }[]>;
  close(): Promise<void>;
}

/** The append-only log of every call. Implementations share one contract suite. */
export interface AuditLog extends AuditReader {
  /**
   * Resolves once the event, and what is to be kept of its payload, is durable. Rejects with `AUDIT_UNAVAILABLE` when it
   * cannot be written.
   */
  append(event: AuditEvent, payload?: RecordedPayload): Promise<AuditPosition>;
  /** Writes `call.interrupted` for every record that was opened and never closed; resolves to how many there were. */
  interruptOpen(time: number): Promise<number>;
  /** Called for each event once it is durable, in order. Returns what ends it. */
  follow(listener: (written: { sequence: number; event: AuditEvent }) => void): () => void;
}
