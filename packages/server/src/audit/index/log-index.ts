import type { AuditStats, StatsQuery } from '@ambit/core/audit';
import type { CallFinder } from './find-records.ts';
import type { LogSource } from './log-source.ts';

/** The sequences per block, and per table or range of texts. Literals in statements of SQLite, which binds numbers as reals. */
export const blockSequences = 8192;
export const textSequences = 100_000;

/** The index of a log. It only finds sequences; records are read from the log. */
export interface LogIndex {
  calls: CallFinder;
  /** Statistics of calls. `now` is the end of a query without `until`. */
  stats(query: StatsQuery, now: number): AuditStats | Promise<AuditStats>;
  /** Returns the place where a record may end; `null` if that is unknown. */
  suggestedEnd(sequence: number): number | null;
  /** The last event that is certainly indexed; -1 if a step has to find out. */
  through(): number;
  /** Indexes some more events, up to `upTo`. */
  step(upTo: number): unknown;
  /** Ends the use of the index, and discards running questions. */
  close(): void;
}

/** The contents of an index: the log that it belongs to, its last event and its hash, in hex. */
export interface IndexMeta {
  logId: string;
  through: number;
  hash: string;
}

/** The note for the operator about an index that is rebuilt. */
export function rebuilding(reason: string): string {
  return `rebuilding the audit index: ${reason}`;
}

/** Returns why an index does not belong to a log: the index may be of a copy, or the log may be an older backup. */
export function whyUnusable(log: LogSource, meta: IndexMeta | undefined): string | undefined {
  if (meta === undefined) return undefined;
  if (meta.logId !== log.logId()) return 'it belongs to another log';
  if (meta.through > log.head()) return 'it has more events than the log';
  const hash = log.hashAt(meta.through);
  // Pruned events have no hash any more; the ones after them were compared before.
  if (hash !== undefined && hash !== meta.hash) return 'the log was replaced';
  return undefined;
}

/**
 * Folds like JavaScript's comparison, so that the index finds every match. SQLite would end the text
 * at a NUL, and PostgreSQL refuses one.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\uFFFD').toWellFormed();
}
