import type { Database } from 'better-sqlite3';
import { type PrunePlan, prunedThrough } from './plan-pruning.ts';

/** The rows deleted in one transaction: few enough that appends hardly wait. */
const rowsAtOnce = 500;
const bytesAtOnce = 4 * 1024 * 1024;

/** Allows the deletion of what a plan covers. Its `log.pruned` event must already be in the log. */
export function allowPruning(
  database: Database,
  { what, through }: Pick<PrunePlan, 'what' | 'through'>,
): void {
  const set = database.prepare<[string, string]>(
    `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
     WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER)`,
  );
  database.transaction(() => {
    // A removed event's payload is removed with it.
    if (what === 'events') set.run('events_pruned_through', String(through));
    set.run('payloads_pruned_through', String(through));
  })();
}

/**
 * Deletes some of what may be deleted, in one transaction, including what a killed daemon left.
 * Returns whether nothing is left.
 */
export function pruneStep(database: Database): boolean {
  return database.transaction(() => {
    const isEmpty = prunePayloads(database, prunedThrough(database, 'payloads'));
    return isEmpty && pruneEvents(database, prunedThrough(database, 'events'));
  })();
}

function prunePayloads(database: Database, through: number): boolean {
  const rows = database
    .prepare<[number, number], { sequence: number; bytes: number }>(
      'SELECT sequence, octet_length(text) AS bytes FROM payloads WHERE sequence <= ? ORDER BY sequence LIMIT ?',
    )
    .all(through, rowsAtOnce);
  let bytes = 0;
  let last = 0;
  for (const row of rows) {
    if (bytes >= bytesAtOnce) break;
    bytes += row.bytes;
    last = row.sequence;
  }
  database.prepare('DELETE FROM payloads WHERE sequence <= ?').run(last);
  return rows.length === 0;
}

function pruneEvents(database: Database, through: number): boolean {
  const first = database.prepare<[], number | null>('SELECT min(sequence) FROM log').pluck().get();
  if (first == null || first > through) {
    // The last checkpoint stays: the chain continues from there.
    database.prepare('DELETE FROM checkpoints WHERE sequence < ?').run(through);
    return true;
  }
  database.prepare('DELETE FROM log WHERE sequence <= ?').run(Math.min(through, first + rowsAtOnce - 1));
  return false;
}
