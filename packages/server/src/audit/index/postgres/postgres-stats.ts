import type { AuditStats, StatsQuery } from '@ambit/core/audit';
import { sql } from '../../../store/statement.ts';
import {
  addCalls,
  bucketTallies,
  growth,
  newTally,
  shortestMs,
  statsOfTallies,
  type Tally,
  tallyOf,
} from '../tally.ts';
import type { Read } from './postgres-calls.ts';
import { jsonOf } from './stored-text.ts';

/** Calls with one skill or time bucket, and the same duration or range of durations. */
interface Group extends Record<string, unknown> {
  place: string | null;
  duration: number;
  calls: number;
  succeeded: number;
  denied: number;
  running: number;
  first: number;
  last: number;
}

/** The calls to count: those with these numbers that began in time. */
export interface CountedRange {
  low: number;
  high: number;
  since: number;
  until: number;
  blocks: number;
}

/** Statistics of calls, the same as in SQLite. `now` is the end of a query without `until`. `block` is the width of a block. */
export function postgresStats(
  read: Read,
  { block, isExact: isExactIn }: { block: number; isExact(range: CountedRange): Promise<boolean> },
): (query: StatsQuery, now: number) => Promise<AuditStats> {
  return async (query, now) => {
    const { bucketMs } = query;
    const skill = jsonOf(query.skill ?? null);
    const [since, until] = [Math.ceil(query.since ?? -(2 ** 53)), Math.ceil(query.until ?? 2 ** 53)];
    const [blocks] = await read<{ count: number; low: number | null; high: number | null }>(
      sql`SELECT count(*) AS count, min(block) AS low, max(block) AS high FROM blocks WHERE last >= ${since} AND first < ${until}`,
    );
    const low = (blocks?.low ?? 0) * block;
    const high = ((blocks?.high ?? -1) + 1) * block;
    const isExact = await isExactIn({ low, high, since, until, blocks: blocks?.count ?? 0 });
    const groups = (from: number | null): Promise<readonly Group[]> =>
      read<Group>(sql`SELECT
          CASE WHEN ${from}::FLOAT8 IS NULL THEN coalesce(unknown, skill)
            ELSE floor((started - ${from}::FLOAT8) / ${bucketMs ?? 1}::FLOAT8)::TEXT END AS place,
          min(coalesce(duration, -1)) AS duration, min(started) AS first, max(started) AS last, count(*) AS calls,
          count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
          count(*) FILTER (WHERE outcome = 'denied') AS denied, count(*) FILTER (WHERE outcome = 'running') AS running
        FROM calls JOIN kinds ON kinds.id = kind
        WHERE sequence >= ${low} AND sequence < ${high} AND started >= ${since} AND started < ${until}
          AND (${skill}::TEXT IS NULL OR coalesce(unknown, skill) = ${skill})
        GROUP BY place, CASE WHEN duration IS NULL THEN -1 WHEN ${isExact ? 1 : 0} = 1 THEN duration
          WHEN duration < ${shortestMs}::FLOAT8 THEN 0
          ELSE 1 + floor(ln(duration / ${shortestMs}::FLOAT8) / ln(${growth}::FLOAT8)) END`);

    const rest = newTally(isExact);
    const bySkill = new Map<string, Tally>();
    let earliest = Number.POSITIVE_INFINITY;
    for (const group of await groups(null)) {
      const { place, first } = group;
      addGroup(place === null ? rest : tallyOf(bySkill, JSON.parse(place) as string, isExact), group);
      earliest = Math.min(earliest, first);
    }
    const from = query.since ?? earliest;
    const overTime = bucketTallies(query, { from, now, isExact });
    if (overTime.length > 0)
      for (const group of await groups(from)) {
        const tally = overTime[Number(group.place)];
        if (tally !== undefined) addGroup(tally, group);
      }
    return statsOfTallies(rest, bySkill, overTime, { from, bucketMs });
  };
}

function addGroup(tally: Tally, { duration, calls, succeeded, denied, running, last }: Group): void {
  tally.last = Math.max(tally.last, last);
  const sums = [calls - succeeded - denied - running, succeeded, denied, running];
  for (const [column, some] of sums.entries()) if (some > 0) addCalls(tally, column, duration, some);
}
