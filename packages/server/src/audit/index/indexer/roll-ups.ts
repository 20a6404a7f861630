import type { CallRecord } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { DurationSketch } from './duration-sketch.ts';

/** How wide roll-ups are, in milliseconds: many narrow ones at the ends of a time, few wide ones between. */
export const spans = { minute: 60_000, hour: 3_600_000 } as const;

/** The row of all calls, whatever their skill; no skill has this name. */
export const ofAll = '';

interface Sum {
  calls: number;
  succeeded: number;
  denied: number;
  errors: number;
  first: number;
  last: number;
  durations: DurationSketch;
}

/** What a batch adds to the roll-ups, held until it is written: each row is read and written once a batch. */
export interface RollUps {
  opened(sequence: number, time: number, skill: string | null): void;
  /** `time` is that of the record's opening. */
  closed(
    sequence: number,
    time: number,
    skill: string | null,
    outcome: CallRecord['outcome'],
    durationMs: number | null,
  ): void;
  flush(): void;
  /** Forgets what was not written. */
  clear(): void;
}

/** `widths` are the spans to write; both, unless one of them is made anew. */
export function rollUps(index: Database, widths: readonly number[] = Object.values(spans)): RollUps {
  const sums = new Map<string, Sum>();
  const find = index.prepare<[number, string, number], Omit<Sum, 'durations'> & { durations: Buffer }>(
    'SELECT calls, succeeded, denied, errors, first, last, durations FROM roll_ups WHERE span = ? AND skill = ? AND start = ?',
  );
  const write = index.prepare(
    `INSERT INTO roll_ups (span, skill, start, calls, succeeded, denied, errors, first, last, durations)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (span, skill, start) DO UPDATE SET calls = excluded.calls, succeeded = excluded.succeeded,
       denied = excluded.denied, errors = excluded.errors, first = excluded.first, last = excluded.last,
       durations = excluded.durations`,
  );

  const each = (sequence: number, time: number, skill: string | null, use: (sum: Sum) => void): void => {
    for (const span of widths)
      for (const name of skill === null ? [ofAll] : [ofAll, skill]) {
        const key = JSON.stringify([span, name, Math.floor(time / span) * span]);
        const sum = sums.get(key) ?? nothing(sequence);
        sums.set(key, sum);
        use(sum);
      }
  };
  return {
    opened(sequence, time, skill) {
      each(sequence, time, skill, (sum) => {
        sum.calls += 1;
        sum.first = Math.min(sum.first, sequence);
        sum.last = Math.max(sum.last, sequence);
      });
    },
    closed(sequence, time, skill, outcome, durationMs) {
      const how = outcome === 'succeeded' || outcome === 'denied' ? outcome : 'errors';
      each(sequence, time, skill, (sum) => {
        sum[how] += 1;
        if (durationMs !== null) sum.durations.add(durationMs);
      });
    },
    flush() {
      for (const [key, sum] of sums) {
        const [span, skill, start] = JSON.parse(key) as [number, string, number];
        const before = find.get(span, skill, start);
        if (before !== undefined) sum.durations.addBytes(before.durations);
        write.run(
          span,
          skill,
          start,
          sum.calls + (before?.calls ?? 0),
          sum.succeeded + (before?.succeeded ?? 0),
          sum.denied + (before?.denied ?? 0),
          sum.errors + (before?.errors ?? 0),
          Math.min(sum.first, before?.first ?? sum.first),
          Math.max(sum.last, before?.last ?? sum.last),
          sum.durations.toBytes(),
        );
      }
      sums.clear();
    },
    clear: () => sums.clear(),
  };
}

function nothing(sequence: number): Sum {
  return {
    calls: 0,
    succeeded: 0,
    denied: 0,
    errors: 0,
    first: sequence,
    last: sequence,
    durations: new DurationSketch(),
  };
}
