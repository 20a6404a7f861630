import type { AuditStats, StatsQuery } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import {
  addCalls,
  bucketTallies,
  exactBlocksMax,
  newTally,
  statsOfTallies,
  type Tally,
  tallyOf,
} from '../tally.ts';
import { callsOfBlock } from './event-indexer.ts';

interface Kind {
  id: number;
  skill: string | null;
  /** Its place in the sums of a tally. */
  column: number;
  /** The counts of its calls. */
  tally?: Tally;
}

const column =
  "CASE outcome WHEN 'succeeded' THEN 1 WHEN 'denied' THEN 2 WHEN 'running' THEN 3 ELSE 0 END AS \"column\"";

/** Statistics of calls. `now` is the end of a query without `until`. */
export function sqliteStats(index: Database): (query: StatsQuery, now: number) => AuditStats {
  const kinds = index.prepare<[], Kind>(`SELECT id, skill, ${column} FROM kinds`);
  const blocks = index.prepare<[number, number], { block: number; calls: Buffer | null }>(
    'SELECT block, calls FROM blocks LEFT JOIN packs USING (block) WHERE last >= ? AND first < ?',
  );
  const count = index
    .prepare<[number, number], number>('SELECT count(*) FROM blocks WHERE last >= ? AND first < ?')
    .pluck();
  const unknown = index.prepare<[number, number], Kind & { started: number; duration: number }>(
    `SELECT id, unknown AS skill, ${column}, started, coalesce(duration, -1) AS duration
     FROM calls INDEXED BY calls_by_unknown CROSS JOIN kinds ON kinds.id = kind
     WHERE unknown IS NOT NULL AND started >= ? AND started < ?`,
  );
  const packed = callsOfBlock(index);

  return (query, now) => {
    const { skill, bucketMs, since = -(2 ** 53), until = 2 ** 53 } = query;
    const isExact = (count.get(since, until) ?? 0) <= exactBlocksMax;
    const visit = (each: (kind: Kind, started: number, duration: number) => void): void => {
      const byId: Kind[] = [];
      for (const kind of kinds.all()) if (skill === undefined || kind.skill === skill) byId[kind.id] = kind;
      for (const { block, calls } of blocks.iterate(since, until)) {
        // Copied, because floats must be aligned.
        const numbers = new Float64Array(new Uint8Array(calls ?? packed(block)).buffer);
        for (let at = 0; at < numbers.length; at += 3) {
          const started = numbers[at + 1] ?? 0;
          const kind = byId[numbers[at] ?? 0];
          if (kind !== undefined && started >= since && started < until)
            each(kind, started, numbers[at + 2] ?? -1);
        }
      }
      for (const { started, duration, ...kind } of unknown.iterate(since, until))
        if (skill === undefined || kind.skill === skill) each(kind, started, duration);
    };
    const all = newTally(isExact);
    const bySkill = new Map<string, Tally>();
    let first = Number.POSITIVE_INFINITY;
    visit((kind, started, duration) => {
      kind.tally ??= kind.skill === null ? all : tallyOf(bySkill, kind.skill, isExact);
      addCalls(kind.tally, kind.column, duration);
      if (started > kind.tally.last) kind.tally.last = started;
      if (started < first) first = started;
    });
    const from = query.since ?? first;
    const overTime = bucketTallies(query, { from, now, isExact });
    if (overTime.length > 0)
      visit(({ column }, started, duration) => {
        const tally = overTime[Math.floor((started - from) / (bucketMs ?? 1))];
        if (tally !== undefined) addCalls(tally, column, duration);
      });
    return statsOfTallies(all, bySkill, overTime, { from, bucketMs });
  };
}
