import type { AuditQuery, CallRecord } from '@ambit/core/audit';
import { type AuditPage, type RecordFilter, recordFits } from '@ambit/core/internal';
import type { IndexParts } from '../indexer/index-parts.ts';
import type { LogSource } from '../indexer/log-source.ts';
import { type Budget, type Candidate, candidatesIn, readingCost } from './candidates.ts';
import { timeBounds } from './time-bounds.ts';

/** Queries on records, each answered in bounded time. */
export interface RecordFinder {
  /** A page, newest first. A long search ends early with a partial page, and `next` continues. */
  query(query: AuditQuery): AuditPage;
  /** The matching records so far: `next` is where to continue, `null` at the end. */
  count(filter: RecordFilter, before: number): { count: number; next: number | null };
}

/** The cost at which a page ends early, in index entries; reading a record costs more. */
const budgetMax = 20_000;
const newest = 2 ** 50;

export function recordFinder(parts: IndexParts, log: LogSource): RecordFinder {
  const candidates = candidatesIn(parts, log);
  const { index, shapes } = parts;
  const bounds = timeBounds(index);
  const single = index.prepare<[number], Candidate>(
    'SELECT sequence, shape, time, ended FROM records WHERE sequence = ?',
  );
  const countInTime = index.prepare<[number, number, number, number], { shape: number; records: number }>(
    'SELECT shape, count(*) AS records FROM records WHERE sequence >= ? AND sequence <= ? AND time >= ? AND time < ? GROUP BY shape',
  );
  const countUnknown = index.prepare<[string], { shape: number; records: number }>(
    'SELECT shape, count(*) AS records FROM records WHERE unknown = ? GROUP BY shape',
  );

  /**
   * The matching records, newest first. Each record is read and compared with the filter: the index
   * only narrows the search.
   */
  function* fitting(filter: RecordFilter, before: number, budget: Budget): Generator<CallRecord> {
    const looked =
      filter.executionId === undefined
        ? candidates(filter, before, budget)
        : [log.openingOf(filter.executionId) ?? before].flatMap((at) =>
            at < before ? (single.get(at) ?? []) : [],
          );
    for (const { sequence, ended } of looked) {
      const isWorthReading = filter.text === undefined || log.keeps(sequence, ended, filter.text);
      const record = isWorthReading ? log.record(sequence, ended) : undefined;
      if (record !== undefined && recordFits(record, filter)) {
        budget.left += 1;
        yield record;
      } else budget.left -= readingCost;
    }
  }

  return {
    query({ limit, before = newest, ...filter }) {
      const budget = { left: budgetMax, reached: before };
      const records: CallRecord[] = [];
      for (const record of fitting(filter, before, budget)) {
        if (records.length === limit) return { records, next: records.at(-1)?.sequence ?? null };
        records.push(record);
      }
      return budget.left > 0 ? { records, next: null } : { records, next: budget.reached, partial: true };
    },
    count(filter, before) {
      const { text, executionId, parentId, skill, since, until } = filter;
      if (text === undefined && executionId === undefined && parentId === undefined) {
        const fit = shapes.fitting(filter);
        const isTimed = since !== undefined || until !== undefined;
        const { lowest, highest } = bounds(filter);
        if (skill === undefined || ![...fit.keys()].some((id) => shapes.get(id).isUnknown)) {
          const counted = isTimed
            ? countInTime.all(lowest, highest, since ?? -newest * 8, until ?? newest * 8)
            : [...fit].map(([shape, records]) => ({ shape, records }));
          return { count: sum(counted.filter(({ shape }) => fit.has(shape))), next: null };
        }
        if (!isTimed) {
          const known = [...fit].map(([shape, records]) => ({ shape, records }));
          const named = countUnknown.all(skill).filter(({ shape }) => fit.has(shape));
          return {
            count: sum([...known.filter(({ shape }) => !shapes.get(shape).isUnknown), ...named]),
            next: null,
          };
        }
      }
      const budget = { left: budgetMax, reached: before };
      let count = 0;
      for (const _ of fitting(filter, before, budget)) {
        count += 1;
        budget.left -= readingCost;
      }
      return { count, next: budget.left > 0 ? null : budget.reached };
    },
  };
}

function sum(counted: readonly { records: number }[]): number {
  return counted.reduce((total, { records }) => total + records, 0);
}
