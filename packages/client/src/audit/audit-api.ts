import type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditStats,
  CallRecord,
  SignedReceipt,
  StatsQuery,
  Verification,
} from '../api/names.ts';
import type { RequestOptions } from '../request/end-of.ts';

/** Options for following the log. */
export interface FollowOptions extends RequestOptions {
  /** Start after this sequence. Absent: start with the next event. */
  after?: number | undefined;
}

/** The audit log. Needs a key with `audit:read`. */
export interface AuditApi {
  /** Every matching record, newest first. Fetches pages as needed. */
  records(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /** One page of at most 200 records. */
  page(query?: AuditQuery, options?: RequestOptions): Promise<AuditPage>;
  record(executionId: string, options?: RequestOptions): Promise<CallRecord>;
  count(filter?: AuditFilter, options?: RequestOptions): Promise<number>;
  stats(query?: StatsQuery, options?: RequestOptions): Promise<AuditStats>;
  /**
   * Every matching record of the present log, oldest first. Throws if the stream is interrupted.
   */
  export(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /**
   * Events as they are written. Resumes interrupted streams. Ends by throwing the reason of the
   * signal.
   */
  follow(options?: FollowOptions): AsyncGenerator<AuditEntry>;
  /** Verifies the whole log. This can take long, so only a timeout in `options` applies. */
  verify(options?: RequestOptions): Promise<Verification>;
  receipt(executionId: string, options?: RequestOptions): Promise<SignedReceipt>;
}
