import type { AuditStats, CallStats, StatsQuery } from './audit-log.ts';
import type { CallRecord } from './call-record-schema.ts';
import { recordFits } from './record-fits.ts';

/**
 * Statistics computed from records. This defines the figures for implementations that compute them
 * differently. `now` is the end of an open period. A percentile is the smallest duration that at
 * least that share of durations does not exceed.
 */
export function statsOf(records: readonly CallRecord[], query: StatsQuery, now: number): AuditStats {
  const { bucketMs: _, ...filter } = query;
  return statsOfCalls(
    records
      .filter((record) => recordFits(record, filter))
      .map(({ skill, outcome, usage, startedAt }) => ({
        skill: skill?.id ?? null,
        outcome,
        durationMs: usage?.durationMs ?? null,
        time: Date.parse(startedAt),
      })),
    query,
    now,
  );
}

/** The data of a call that statistics need. */
interface CountedCall {
  /** `null` for a request that named none. */
  skill: string | null;
  outcome: CallRecord['outcome'];
  /** `null` for a call that did not run. */
  durationMs: number | null;
  /** The start, in milliseconds since the epoch. */
  time: number;
}

/** The same for calls that are already filtered: the query only determines the buckets. */
function statsOfCalls(
  calls: readonly CountedCall[],
  { since, until, bucketMs }: Pick<StatsQuery, 'since' | 'until' | 'bucketMs'>,
  now: number,
): AuditStats {
  const bySkill = Map.groupBy(calls, ({ skill }) => skill);
  bySkill.delete(null);
  return {
    all: callStats(calls),
    bySkill: [...bySkill]
      .map(([skill, ofSkill]) => ({
        skill: skill ?? '',
        lastAt: ofSkill.reduce((last, { time }) => Math.max(last, time), Number.NEGATIVE_INFINITY),
        ...callStats(ofSkill),
      }))
      .sort((a, b) => (a.skill < b.skill ? -1 : 1)),
    overTime: bucketMs === undefined ? [] : buckets(calls, since, until ?? now, bucketMs),
  };
}

function callStats(calls: readonly CountedCall[]): CallStats {
  const of = (outcome: CallRecord['outcome']) => calls.filter((call) => call.outcome === outcome).length;
  const [denied, running] = [of('denied'), of('running')];
  return {
    calls: calls.length,
    errors: calls.length - denied - running - of('succeeded'),
    denied,
    running,
    durationMs: percentiles(calls.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b)),
  };
}

function percentiles(sorted: readonly number[]): CallStats['durationMs'] {
  if (sorted.length === 0) return null;
  const at = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  return { p50: at(50), p95: at(95), p99: at(99) };
}

/** From `since`, or from the first call. Without calls there are none. */
function buckets(
  calls: readonly CountedCall[],
  since: number | undefined,
  until: number,
  bucketMs: number,
): AuditStats['overTime'] {
  const from = since ?? calls.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
  if (from >= until) return [];
  const byBucket = Map.groupBy(calls, ({ time }) => Math.floor((time - from) / bucketMs));
  return Array.from({ length: Math.ceil((until - from) / bucketMs) }, (_, index) => ({
    since: from + index * bucketMs,
    ...callStats(byBucket.get(index) ?? []),
  }));
}
