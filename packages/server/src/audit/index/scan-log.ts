import { type CallRecord, type RecordFilter, recordFits } from '@ambit/core/audit';
import type { LogSource, Opening } from './log-source.ts';

const sequencesMax = 20_000;
/** Most records end within this many events after the page. */
const nearSequences = 20_000;
const recordsMax = 5000;
const bytesMax = 4 * 1024 * 1024;

/**
 * Reads records from the log itself. The index only suggests where a record ends. The log is
 * checked, and searched if the index is wrong.
 */
export function logScanner(log: LogSource, suggestedEnd: (sequence: number) => number | null) {
  /** By execution: the event that ended its record, up to that point of the log. */
  const endsOf = (openings: readonly Opening[], through: number): ReadonlyMap<string, number> => {
    const ends = new Map<string, number>();
    const others: string[] = [];
    for (const { sequence, executionId, isCall } of openings) {
      if (isCall === 0) continue;
      const end = suggestedEnd(sequence);
      if (end !== null && log.isEnd(end, executionId)) ends.set(executionId, end);
      else if (!log.isOpen(executionId)) others.push(executionId);
    }
    let from = openings[0]?.sequence ?? 0;
    for (const until of [Math.min(through, (openings.at(-1)?.sequence ?? 0) + nearSequences), through]) {
      const pending = others.filter((executionId) => !ends.has(executionId));
      if (pending.length > 0)
        for (const { sequence, executionId } of log.endsOf(pending, from, until))
          ends.set(executionId, sequence);
      from = until;
    }
    return ends;
  };

  return {
    /**
     * The next records after a sequence, oldest first, as of when the log ended at `through`: later
     * events are ignored. `after` is where to continue, `null` at the end.
     */
    scan(
      filter: RecordFilter,
      after: number,
      through: number,
    ): { records: CallRecord[]; after: number | null } {
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
        const { input, output } = record.stored;
        // An estimate: without stored payloads, records are small and similar.
        bytes += 2000 + (input?.text.length ?? 0) + (output?.text.length ?? 0);
        if (bytes >= bytesMax) return { records, after: sequence };
      }
      const reached = openings.length < recordsMax ? last : (openings.at(-1)?.sequence ?? last);
      return { records, after: reached < through ? reached : null };
    },
  };
}
