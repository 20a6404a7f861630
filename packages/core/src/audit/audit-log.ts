import type { AuditEvent } from './audit-event.ts';
import type { CallRecord } from './call-record.ts';

/** Where an event stands in the log: 1 for the first, one more for each. */
export interface AuditPosition {
  sequence: number;
}

/** Which records to show. Absent means all. */
export interface AuditQuery {
  skill?: string;
  outcome?: CallRecord['outcome'];
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
  /** Pass it as `before` for the next page; `null` on the last. */
  next: number | null;
}

/** The append-only log of every call. Implementations share one contract suite. */
export interface AuditLog {
  /** Resolves once the event is durable. Rejects with `AUDIT_UNAVAILABLE` when it cannot be written. */
  append(event: AuditEvent): Promise<AuditPosition>;
  /** Writes `call.interrupted` for every record that was opened and never closed; resolves to how many there were. */
  interruptOpen(time: number): Promise<number>;
  query(query: AuditQuery): Promise<AuditPage>;
  close(): Promise<void>;
}
