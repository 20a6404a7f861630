import type { AuditStats, StatsQuery } from '@ambit/core/internal';
import { sql } from '../../../store/statement.ts';
import { blockSequences } from '../log-index.ts';
import {
  addCalls,
  bucketTallies,
  exactBlocksMax,
  growth,
  newTally,
  shortestMs,
  statsOfTallies,
  type Tally,
  tallyOf,
} from '../tally.ts';
import { stored } from './fill-step.ts';
import type { Read } from './postgres-calls.ts';

/** Calls with one skill or time bucket, one place in the sums of a tally, and the same duration or range of durations. */
interface Group extends Record<string, unknown> {
  place: string | null;
  column: number;
  duration: number;
  calls: number;
  first: number;
}

/** Statistics of calls, the same as in SQLite. `now` is the end of a query without `until`. */
export function postgresStats(read: Read): (query: StatsQuery, now: number) => Promise<AuditStats> {
  return async (query, now) => {
    const { bucketMs } = query;
    const skill = stored(query.skill ?? null);
    const [since, until] = [Math.ceil(query.since ?? -(2 ** 53)), Math.ceil(query.until ?? 2 ** 53)];
    const [blocks] = await read<{ count: number; low: number | null; high: number | null }>(
      sql`SELECT count(*) AS count, min(block) AS low, max(block) AS high FROM blocks WHERE last >= ${since} AND first < ${until}`,
    );
    const isExact = (blocks?.count ?? 0) <= exactBlocksMax;
    const low = (blocks?.low ?? 0) * blockSequences;
    const high = ((blocks?.high ?? -1) + 1) * blockSequences;
    // Counted by kind first: kinds are few, and need not be joined to each call.
    const groups = (from: number | null): Promise<readonly Group[]> =>
      read<Group>(sql`WITH found AS (
          SELECT kind, unknown, count(*) AS calls, min(started) AS first, min(coalesce(duration, -1)) AS duration,
            floor((started - ${from}::FLOAT8) / ${bucketMs ?? 1}::FLOAT8) AS bucket,
            CASE WHEN duration IS NULL THEN -1 WHEN ${isExact ? 1 : 0} = 1 THEN duration WHEN duration < ${shortestMs}::FLOAT8 THEN 0
              ELSE 1 + floor(ln(duration / ${shortestMs}::FLOAT8) / ln(${growth}::FLOAT8)) END AS range
          FROM calls WHERE sequence >= ${low} AND sequence < ${high} AND started >= ${since} AND started < ${until}
          GROUP BY kind, unknown, bucket, range)
        SELECT CASE WHEN bucket IS NULL THEN coalesce(unknown, skill) ELSE bucket::TEXT END AS place,
          CASE outcome WHEN 'succeeded' THEN 1 WHEN 'denied' THEN 2 WHEN 'running' THEN 3 ELSE 0 END AS "column",
          min(duration) AS duration, sum(calls) AS calls, min(first) AS first
        FROM found JOIN kinds ON kinds.id = kind
        WHERE ${skill}::TEXT IS NULL OR coalesce(unknown, skill) = ${skill} GROUP BY 1, 2, range`);

    const rest = newTally(isExact);
    const bySkill = new Map<string, Tally>();
    let earliest = Number.POSITIVE_INFINITY;
    for (const { place, column, duration, calls, first } of await groups(null)) {
      const tally = place === null ? rest : tallyOf(bySkill, JSON.parse(place) as string, isExact);
      addCalls(tally, column, duration, calls);
      earliest = Math.min(earliest, first);
    }
    const from = query.since ?? earliest;
    const overTime = bucketTallies(query, { from, now, isExact });
    if (overTime.length > 0)
      for (const { place, column, duration, calls } of await groups(from)) {
        const tally = overTime[Number(place)];
        if (tally !== undefined) addCalls(tally, column, duration, calls);
      }
    return statsOfTallies(rest, bySkill, overTime, { from, bucketMs });
  };
}
