import type { AuditStats, CallStats, StatsQuery } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { callsOfBlock } from './index-events.ts';

/**
 * Up to this many blocks percentiles are exact; beyond it, durations are rounded. Any 20,000 events
 * are in at most four.
 */
const exactBlocksMax = 4;

interface Kind {
  id: number;
  skill: string | null;
  /** Its place in the sums of a tally. */
  column: number;
  /** Where its calls are counted. */
  tally?: Tally;
}

const column =
  "CASE outcome WHEN 'succeeded' THEN 1 WHEN 'denied' THEN 2 WHEN 'running' THEN 3 ELSE 0 END AS \"column\"";

/** Statistics of calls. `now` is the end of a query without `until`. */
export function indexStats(index: Database): (query: StatsQuery, now: number) => AuditStats {
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
      kind.tally ??= kind.skill === null ? all : getOrAdd(bySkill, kind.skill, isExact);
      addCall(kind.tally, kind.column, duration);
      if (started < first) first = started;
    });
    for (const tally of bySkill.values()) addTally(all, tally);
    const buckets = (widthMs: number): AuditStats['overTime'] => {
      const [from, to] = [query.since ?? first, query.until ?? now];
      const length = from < to ? Math.ceil((to - from) / widthMs) : 0;
      const tallies = Array.from({ length }, () => newTally(isExact));
      visit(({ column }, started, duration) => {
        const tally = tallies[Math.floor((started - from) / widthMs)];
        if (tally !== undefined) addCall(tally, column, duration);
      });
      return tallies.map((tally, at) => ({ since: from + at * widthMs, ...statsOf(tally) }));
    };
    return {
      all: statsOf(all),
      bySkill: [...bySkill]
        .map(([name, tally]) => ({ skill: name, ...statsOf(tally) }))
        .sort((a, b) => (a.skill < b.skill ? -1 : 1)),
      overTime: bucketMs === undefined ? [] : buckets(bucketMs),
    };
  };
}

interface Tally {
  /** Calls that failed, succeeded, were denied, and are running. */
  sums: [number, number, number, number];
  /** Exact durations; or how many durations are in each range. */
  exact: number[] | undefined;
  ranges: number[];
}

function newTally(isExact: boolean): Tally {
  return {
    sums: [0, 0, 0, 0],
    exact: isExact ? [] : undefined,
    ranges: [],
  };
}

function getOrAdd(tallies: Map<string, Tally>, skill: string, isExact: boolean): Tally {
  const tally = tallies.get(skill) ?? newTally(isExact);
  tallies.set(skill, tally);
  return tally;
}

function addCall({ sums, exact, ranges }: Tally, column: number, duration: number): void {
  sums[column] = (sums[column] ?? 0) + 1;
  if (duration < 0) return;
  if (exact !== undefined) {
    exact.push(duration);
    return;
  }
  const range = rangeOf(duration);
  ranges[range] = (ranges[range] ?? 0) + 1;
}

function addTally(to: Tally, { sums, exact, ranges }: Tally): void {
  sums.forEach((calls, column) => {
    to.sums[column] = (to.sums[column] ?? 0) + calls;
  });
  for (const duration of exact ?? []) to.exact?.push(duration);
  ranges.forEach((calls, range) => {
    to.ranges[range] = (to.ranges[range] ?? 0) + calls;
  });
}

function statsOf({ sums: [errors, succeeded, denied, running], exact, ranges }: Tally): CallStats {
  const durations = exact?.sort((a, b) => a - b).map((duration) => ({ duration, calls: 1 })) ?? [];
  ranges.forEach((calls, range) => {
    durations.push({ duration: middleOf(range), calls });
  });
  const total = durations.reduce((sum, { calls }) => sum + calls, 0);
  const at = (percent: number): number => {
    let left = Math.ceil((percent / 100) * total);
    return (
      durations.find(({ calls }) => {
        left -= calls;
        return left <= 0;
      })?.duration ?? 0
    );
  };
  const durationMs = total === 0 ? null : { p50: at(50), p95: at(95), p99: at(99) };
  return { calls: errors + succeeded + denied + running, errors, denied, running, durationMs };
}

const growth = 1.02;
/** Durations below a microsecond share range 0. */
const shortestMs = 0.001;

function rangeOf(durationMs: number): number {
  return durationMs < shortestMs ? 0 : 1 + Math.floor(Math.log(durationMs / shortestMs) / Math.log(growth));
}

/** The value with the same relative error at both ends of a range. */
function middleOf(range: number): number {
  return range === 0 ? 0 : (shortestMs * growth ** (range - 1) * 2 * growth) / (1 + growth);
}
