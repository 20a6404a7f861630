import type { Database } from 'better-sqlite3';
import type { FileIdentity } from '../../sqlite/file-identity.ts';
import { requireSame } from '../log/open-log-file.ts';
import { recordFinder } from './find-records.ts';
import { eventIndexer, indexedThrough } from './index-events.ts';
import { isDamage, isUnwritable, openIndex, removeIndex, temporaryIndex } from './index-file.ts';
import { indexStats } from './index-stats.ts';
import { type LogSource, logSource } from './log-source.ts';
import { openReadonly } from './open-readonly.ts';
import { logScanner } from './scan-log.ts';

/** A log, and the file of its index. */
export interface IndexedLog {
  file: string;
  indexFile: string;
  /** The identity of the opened file, to detect its replacement. */
  opened: FileIdentity | undefined;
}

/**
 * A log and its index, within the calling thread. Each call does a bounded amount of work, so that
 * other questions can be answered in between.
 */
export type AuditIndex = ReturnType<typeof auditIndex>;

/**
 * Opens a log to read it, and its index to update it. Deletes an index that is damaged
 * or belongs to another log, and calls `onDiscarded` with the reason. A temporary index has no file. Throws
 * SQLite's error if the log cannot be read.
 */
export function auditIndex(
  { file, indexFile, opened }: IndexedLog,
  isTemporary: boolean,
  onDiscarded: (reason: string) => void,
) {
  requireSame(file, opened);
  const database = openReadonly(file);
  const log = logSource(database);
  const index = isTemporary ? temporaryIndex() : usableIndex(log, indexFile, onDiscarded);
  const through = index.prepare<[], number>(indexedThrough).pluck();
  const indexEvents = eventIndexer(log, index);
  return {
    ...recordFinder(index, log),
    ...logScanner(index, log),
    stats: indexStats(index),
    events: log.events,
    /** The last durable event of the log. */
    head(): number {
      requireSame(file, opened);
      return log.head();
    },
    /** The last indexed event. */
    through: (): number => through.get() ?? 0,
    /** Indexes some more events. */
    step: (): number => indexEvents(log.head()),
    close(): void {
      index.close();
      database.close();
    },
  };
}

function usableIndex(log: LogSource, file: string, onDiscarded: (reason: string) => void): Database {
  let reason: string | undefined;
  try {
    const index = openIndex(file);
    reason = whyUnusable(log, index);
    if (reason === undefined) return index;
    index.close();
  } catch (error) {
    // A copy of a log can be in a read-only folder, and a log on a full disk.
    if (isUnwritable(error)) return temporaryIndex();
    if (!isDamage(error)) throw error;
    reason = `it is damaged (${(error as Error).message})`;
  }
  onDiscarded(reason);
  removeIndex(file);
  return openIndex(file);
}

/**
 * Why an index does not belong to a log: the index may be of a copy, or the log may be an older
 * backup.
 */
function whyUnusable(log: LogSource, index: Database): string | undefined {
  const meta = new Map(index.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all());
  if (meta.size === 0) return undefined;
  if (meta.get('log_id') !== log.logId()) return 'it belongs to another log';
  const through = Number(meta.get('through'));
  if (through > log.head()) return 'it has more events than the log';
  const hash = log.hashAt(through);
  // Pruned events have no hash any more; the ones after them were compared before.
  if (hash !== undefined && hash !== meta.get('hash')) return 'the log was replaced';
  return undefined;
}
