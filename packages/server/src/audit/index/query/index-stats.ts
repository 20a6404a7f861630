import {
  type AuditStats,
  type CallStats,
  type CountedCall,
  type StatsQuery,
  statsOfCalls,
} from '@ambit/core/internal';
import { DurationSketch } from '../indexer/duration-sketch.ts';
import type { IndexParts } from '../indexer/index-parts.ts';
import { ofAll } from '../indexer/roll-ups.ts';
import { earliest, latest, parts, timeBounds } from './time-bounds.ts';

/** So many calls are counted one by one, which makes percentiles exact; beyond them they are told from sketches. */
const exactMax = 20_000;

interface StoredCall {
  shape: number;
  time: number;
  durationMs: number | null;
  unknown: string | null;
}

interface Rolled {
  skill: string;
  calls: number;
  succeeded: number;
  denied: number;
  errors: number;
  durations: Buffer;
}

/** How calls went. `now` ends the time that a query leaves open. */
export function indexStats({
  index,
  shapes,
  through,
}: IndexParts): (query: StatsQuery, now: number) => AuditStats {
  const columns = 'shape, time, duration_ms AS durationMs, unknown';
  const between = index.prepare<[number, number], StoredCall>(
    `SELECT ${columns} FROM records WHERE sequence >= ? AND sequence <= ?`,
  );
  const inTime = index.prepare<[number, number], StoredCall>(
    `SELECT ${columns} FROM records WHERE time >= ? AND time < ?`,
  );
  const sums = 'skill, calls, succeeded, denied, errors, durations';
  const rolledOf = index.prepare<[number, string, number, number], Rolled>(
    `SELECT ${sums} FROM roll_ups WHERE span = ? AND skill = ? AND start >= ? AND start < ?`,
  );
  const rolled = index.prepare<[number, number, number], Rolled>(
    `SELECT ${sums} FROM roll_ups INDEXED BY roll_ups_in_time WHERE span = ? AND start >= ? AND start < ?`,
  );
  const unknown = index.prepare<[number, number], StoredCall>(
    `SELECT ${columns} FROM records INDEXED BY records_by_unknown WHERE unknown IS NOT NULL AND time >= ? AND time < ?`,
  );
  const first = index.prepare<[], number | null>('SELECT min(time) FROM records').pluck();
  const firstOf = index
    .prepare<[string], number | null>('SELECT min(start) FROM roll_ups WHERE span = 60000 AND skill = ?')
    .pluck();
  const bounds = timeBounds(index);

  const counted = ({ shape, time, durationMs, unknown: name }: StoredCall): CountedCall => {
    const { skill, outcome } = shapes.get(shape);
    return { skill: skill ?? name, outcome, durationMs, time };
  };

  const exactly = (
    calls: readonly StoredCall[],
    { skill, since = earliest, until = latest, ...rest }: StatsQuery,
    now: number,
  ) => {
    const asked = calls
      .map(counted)
      .filter(
        (call) => (skill === undefined || call.skill === skill) && call.time >= since && call.time < until,
      );
    const time = { ...(since === earliest ? {} : { since }), ...(until === latest ? {} : { until }) };
    return statsOfCalls(asked, { ...rest, ...time }, now);
  };

  /** Adds to `tallies`, by skill, what happened in a time: of one skill, or of each and of all. */
  const tally = (
    since: number,
    until: number,
    skill: string | undefined,
    tallies: Map<string, Tally>,
  ): void => {
    const of = (name: string): Tally => {
      const known = tallies.get(name) ?? new Tally();
      tallies.set(name, known);
      return known;
    };
    for (const { span, from, to } of parts(since, until)) {
      if (span !== null) {
        const rows = skill === undefined ? rolled.all(span, from, to) : rolledOf.all(span, skill, from, to);
        for (const row of rows) of(row.skill).addRolled(row);
        continue;
      }
      for (const call of inTime.all(from, to)) {
        // Those whose skill was not found are counted below.
        const name = shapes.get(call.shape).skill;
        if (skill === undefined || skill === ofAll) of(ofAll).add(counted(call));
        if (name !== null && (skill === undefined || skill === name)) of(name).add(counted(call));
      }
    }
    if (skill === ofAll) return;
    for (const call of unknown.all(since, until)) {
      const { skill: name } = counted(call);
      if (name !== null && (skill === undefined || skill === name)) of(name).add(counted(call));
    }
  };

  const buckets = (query: StatsQuery & { bucketMs: number }, now: number): AuditStats['overTime'] => {
    const { skill = ofAll, bucketMs, until = now } = query;
    const from = query.since ?? (skill === ofAll ? first.get() : firstOf.get(skill));
    if (from === null || from === undefined || from >= until) return [];
    return Array.from({ length: Math.ceil((until - from) / bucketMs) }, (_, at) => {
      const since = from + at * bucketMs;
      const tallies = new Map<string, Tally>();
      tally(since, Math.min(since + bucketMs, query.until ?? latest), skill, tallies);
      return { since, ...(tallies.get(skill) ?? new Tally()).stats() };
    });
  };

  return (query, now) => {
    const { lowest, highest } = bounds(query);
    const last = Math.min(highest, through());
    if (last - lowest < exactMax) return exactly(between.all(lowest, last), query, now);
    const { skill, since = earliest, until = latest, bucketMs } = query;
    const tallies = new Map<string, Tally>();
    tally(since, until, skill, tallies);
    const all = tallies.get(skill ?? ofAll) ?? new Tally();
    tallies.delete(ofAll);
    return {
      all: all.stats(),
      bySkill: [...tallies]
        .map(([name, each]) => ({ skill: name, ...each.stats() }))
        .sort((a, b) => (a.skill < b.skill ? -1 : 1)),
      overTime: bucketMs === undefined ? [] : buckets({ ...query, bucketMs }, now),
    };
  };
}

class Tally {
  readonly #sum = { calls: 0, succeeded: 0, denied: 0, errors: 0 };
  readonly #durations = new DurationSketch();

  add({ outcome, durationMs }: CountedCall): void {
    this.#sum.calls += 1;
    if (outcome === 'succeeded' || outcome === 'denied') this.#sum[outcome] += 1;
    else if (outcome !== 'running') this.#sum.errors += 1;
    if (durationMs !== null) this.#durations.add(durationMs);
  }

  addRolled({ calls, succeeded, denied, errors, durations }: Rolled): void {
    this.#sum.calls += calls;
    this.#sum.succeeded += succeeded;
    this.#sum.denied += denied;
    this.#sum.errors += errors;
    this.#durations.addBytes(durations);
  }

  stats(): CallStats {
    const { calls, succeeded, denied, errors } = this.#sum;
    return {
      calls,
      errors,
      denied,
      running: calls - succeeded - denied - errors,
      durationMs: this.#durations.percentiles(),
    };
  }
}
