import type { AuditStats, CallStats, StatsQuery } from '@ambit/core/audit';

/**
 * Up to this many blocks percentiles are exact; beyond it, durations are rounded. Any 20,000 events
 * are in at most four.
 */
export const exactBlocksMax = 4;

/** Counts of calls, and their durations. */
export interface Tally {
  /** Calls that failed, succeeded, were denied, and are running. */
  sums: [number, number, number, number];
  /** Exact durations; or how many durations are in each range. */
  exact: number[] | undefined;
  ranges: number[];
  /** The latest start of a call: milliseconds since the epoch. */
  last: number;
}

export function newTally(isExact: boolean): Tally {
  return {
    sums: [0, 0, 0, 0],
    exact: isExact ? [] : undefined,
    ranges: [],
    last: Number.NEGATIVE_INFINITY,
  };
}

export function tallyOf(tallies: Map<string, Tally>, skill: string, isExact: boolean): Tally {
  const tally = tallies.get(skill) ?? newTally(isExact);
  tallies.set(skill, tally);
  return tally;
}

/** Adds calls of one duration; of calls that did not run, it is -1. */
export function addCalls({ sums, exact, ranges }: Tally, column: number, duration: number, calls = 1): void {
  sums[column] = (sums[column] ?? 0) + calls;
  if (duration < 0) return;
  if (exact !== undefined) {
    for (let call = 0; call < calls; call += 1) exact.push(duration);
    return;
  }
  const range = rangeOf(duration);
  ranges[range] = (ranges[range] ?? 0) + calls;
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

/** The tallies of a query as its answer. `rest` has the calls without a skill; `from` is the start of the first bucket. */
export function statsOfTallies(
  rest: Tally,
  bySkill: ReadonlyMap<string, Tally>,
  overTime: readonly Tally[],
  { from, bucketMs = 0 }: { from: number; bucketMs?: number | undefined },
): AuditStats {
  for (const tally of bySkill.values()) addTally(rest, tally);
  return {
    all: statsOf(rest),
    bySkill: [...bySkill]
      .map(([name, tally]) => ({ skill: name, lastAt: tally.last, ...statsOf(tally) }))
      .sort((a, b) => (a.skill < b.skill ? -1 : 1)),
    overTime: overTime.map((tally, at) => ({ since: from + at * bucketMs, ...statsOf(tally) })),
  };
}

/** A tally for each time bucket from `from` on. */
export function bucketTallies(
  { bucketMs, until }: StatsQuery,
  { from, now, isExact }: { from: number; now: number; isExact: boolean },
): Tally[] {
  const to = until ?? now;
  const length = bucketMs !== undefined && from < to ? Math.ceil((to - from) / bucketMs) : 0;
  return Array.from({ length }, () => newTally(isExact));
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

/** The ratio of a range's ends. */
export const growth = 1.02;
/** Durations below a microsecond share range 0. */
export const shortestMs = 0.001;

function rangeOf(durationMs: number): number {
  return durationMs < shortestMs ? 0 : 1 + Math.floor(Math.log(durationMs / shortestMs) / Math.log(growth));
}

/** The value with the same relative error at both ends of a range. */
function middleOf(range: number): number {
  return range === 0 ? 0 : (shortestMs * growth ** (range - 1) * 2 * growth) / (1 + growth);
}
