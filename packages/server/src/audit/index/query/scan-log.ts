import type { CallRecord } from '@ambit/core/audit';
import { type RecordFilter, recordFits } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import type { LogSource, Opening } from '../indexer/log-source.ts';

/** Reads records from the log itself, independent of the index. */
export interface LogScanner {
  /**
   * The next records after a sequence, oldest first, as of when the log ended at `through`: later
   * events are ignored. `after` is where to continue, `null` at the end.
   */
  scan(filter: RecordFilter, after: number, through: number): { records: CallRecord[]; after: number | null };
}

const sequencesMax = 20_000;
const recordsMax = 5000;
const bytesMax = 4 * 1024 * 1024;

/**
 * The index only suggests where a record ends. The log is checked, and searched if the index is
 * wrong.
 */
export function logScanner(index: Database, log: LogSource): LogScanner {
  const hinted = index
    .prepare<[number], number | null>('SELECT ended FROM records WHERE sequence = ?')
    .pluck();

  /** By execution: the event that ended its record, up to that point of the log. */
  const endsOf = (openings: readonly Opening[], through: number): ReadonlyMap<string, number> => {
    const ends = new Map<string, number>();
    const unknown: Opening[] = [];
    for (const opening of openings) {
      if (!opening.isCall) continue;
      const hint = hinted.get(opening.sequence) ?? null;
      if (hint !== null && log.isEnd(hint, opening.executionId)) ends.set(opening.executionId, hint);
      else if (!log.isOpen(opening.executionId)) unknown.push(opening);
    }
    const [first] = unknown;
    if (first === undefined) return ends;
    const ids = unknown.map(({ executionId }) => executionId);
    for (const { sequence, executionId } of log.endsOf(ids, first.sequence, through))
      ends.set(executionId, sequence);
    return ends;
  };

  return {
    scan(filter, after, through) {
      const from = log.firstAfter(after);
      if (from === undefined || from > through) return { records: [], after: null };
      const last = Math.min(through, from + sequencesMax - 1);
      const openings = log.openings(filter, after, last, recordsMax);
      const ends = endsOf(openings, through);
      const records: CallRecord[] = [];
      let bytes = 0;
      for (const { sequence, executionId } of openings) {
        const end = ends.get(executionId) ?? null;
        const record = log.record(sequence, end !== null && end <= through ? end : null);
        if (record === undefined || !recordFits(record, filter)) continue;
        records.push(record);
        bytes += sizeOf(record);
        if (bytes >= bytesMax) return { records, after: sequence };
      }
      const reached = openings.length < recordsMax ? last : (openings.at(-1)?.sequence ?? last);
      return { records, after: reached < through ? reached : null };
    },
  };
}

/** An estimate: without stored payloads, records are small and similar. */
function sizeOf({ stored }: CallRecord): number {
  return 2000 + (stored.input?.text.length ?? 0) + (stored.output?.text.length ?? 0);
}
