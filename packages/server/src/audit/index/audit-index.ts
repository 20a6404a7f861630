import type { AuditStats, StatsQuery } from '@ambit/core/internal';
import type { FileIdentity } from '../../sqlite/file-identity.ts';
import { requireSame } from '../log/open-log-file.ts';
import { recordFinder } from './find-records.ts';
import type { LogIndex } from './log-index.ts';
import { type LogSource, logSource } from './log-source.ts';
import { openReadonly } from './open-readonly.ts';
import { logScanner } from './scan-log.ts';

/** A log. */
export interface IndexedLog {
  file: string;
  /** The identity of the opened file, to detect its replacement. */
  opened: FileIdentity | undefined;
}

/**
 * A log and its index, within the calling thread. Each call does a bounded amount of work, so that
 * other questions can be answered in between.
 */
export type AuditIndex = ReturnType<typeof auditIndex>;

/** Opens a log to read it, and its index to update it. Throws SQLite's error if the log cannot be read. */
export function auditIndex({ file, opened }: IndexedLog, openIndex: (log: LogSource) => LogIndex) {
  requireSame(file, opened);
  const database = openReadonly(file);
  const log = logSource(database);
  const index = openIndex(log);
  return {
    ...recordFinder(index.calls, log),
    ...logScanner(log, index.suggestedEnd),
    stats: async (query: StatsQuery, now: number): Promise<AuditStats> => index.stats(query, now),
    events: log.events,
    /** The last durable event of the log. */
    head(): number {
      requireSame(file, opened);
      return log.head();
    },
    /** The last indexed event. */
    through: index.through,
    /** Indexes some more events. */
    step: async (): Promise<unknown> => index.step(log.head()),
    close(): void {
      index.close();
      database.close();
    },
  };
}
