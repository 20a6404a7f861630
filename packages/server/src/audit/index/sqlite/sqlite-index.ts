import type { Database } from 'better-sqlite3';
import { type IndexMeta, type LogIndex, whyUnusable } from '../log-index.ts';
import type { LogSource } from '../log-source.ts';
import { eventIndexer, indexedThrough } from './event-indexer.ts';
import { isDamage, isUnwritable, openIndex, removeIndex, temporaryIndex } from './index-file.ts';
import { sqliteCalls } from './sqlite-calls.ts';
import { sqliteStats } from './sqlite-stats.ts';

/**
 * Opens the index of a log in a file, or in none if it is temporary. Deletes an index that is damaged or belongs to another
 * log, and calls `onDiscarded` with the reason.
 */
export function sqliteIndex(
  log: LogSource,
  { file, isTemporary }: { file: string; isTemporary: boolean },
  onDiscarded: (reason: string) => void,
): LogIndex {
  const index = isTemporary ? temporaryIndex() : usableIndex(log, file, onDiscarded);
  const through = index.prepare<[], number>(indexedThrough).pluck();
  const end = index.prepare<[number], number | null>('SELECT ended FROM calls WHERE sequence = ?').pluck();
  return {
    calls: sqliteCalls(index, log),
    stats: sqliteStats(index),
    suggestedEnd: (sequence) => end.get(sequence) ?? null,
    through: () => through.get() ?? 0,
    step: eventIndexer(log, index),
    close: () => void index.close(),
  };
}

function usableIndex(log: LogSource, file: string, onDiscarded: (reason: string) => void): Database {
  let reason: string | undefined;
  try {
    const index = openIndex(file);
    reason = whyUnusable(log, metaOf(index));
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

function metaOf(index: Database): IndexMeta | undefined {
  const rows = index.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all();
  const { log_id: logId = '', through, hash = '' } = Object.fromEntries(rows);
  return through === undefined ? undefined : { logId, through: Number(through), hash };
}
