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

/** How the log is followed. */
export interface FollowOptions extends RequestOptions {
  /** The sequence after which it goes on; absent: with the next event that is written. */
  after?: number | undefined;
}

/** The log of calls. Needs a key with `audit:read`. */
export interface AuditApi {
  /** Every record that fits, newest first; pages are fetched as they are needed. */
  records(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /** One page of them: at most 200. */
  page(query?: AuditQuery, options?: RequestOptions): Promise<AuditPage>;
  record(executionId: string, options?: RequestOptions): Promise<CallRecord>;
  count(filter?: AuditFilter, options?: RequestOptions): Promise<number>;
  stats(query?: StatsQuery, options?: RequestOptions): Promise<AuditStats>;
  /** Every record that fits, oldest first, of the log as it stands now; throws when it breaks off. */
  export(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /** Events as they are written, until the signal, whose reason it throws; a stream that is cut is read on. */
  follow(options?: FollowOptions): AsyncGenerator<AuditEntry>;
  /** Reads the whole log again. Takes as long as that takes, so that no timeout holds but one of the call's own. */
  verify(options?: RequestOptions): Promise<Verification>;
  receipt(executionId: string, options?: RequestOptions): Promise<SignedReceipt>;
}
