import type { RecordFilter } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { spans } from '../indexer/roll-ups.ts';

/**
 * Between which sequences all records lie that were opened in a time, both ends counted. Records of another time may lie
 * there too, where the clock went back.
 */
export type TimeBounds = (time: Pick<RecordFilter, 'since' | 'until'>) => { lowest: number; highest: number };

export function timeBounds(index: Database): TimeBounds {
  const rolled = index.prepare<[number, number, number], { lowest: number | null; highest: number | null }>(
    "SELECT min(first) AS lowest, max(last) AS highest FROM roll_ups INDEXED BY roll_ups_of_all WHERE span = ? AND skill = '' AND start >= ? AND start < ?",
  );
  const single = index.prepare<[number, number], { lowest: number | null; highest: number | null }>(
    'SELECT min(sequence) AS lowest, max(sequence) AS highest FROM records WHERE time >= ? AND time < ?',
  );
  return ({ since, until }) => {
    if (since === undefined && until === undefined) return { lowest: 0, highest: Number.MAX_SAFE_INTEGER };
    const found = parts(since ?? earliest, until ?? latest).map(({ span, from, to }) =>
      span === null ? single.get(from, to) : rolled.get(span, from, to),
    );
    return {
      lowest: Math.min(...found.map((each) => each?.lowest ?? Number.MAX_SAFE_INTEGER)),
      highest: Math.max(...found.map((each) => each?.highest ?? -1)),
    };
  };
}

/** What a `Date` reaches. */
export const [earliest, latest] = [-8.64e15, 8.64e15];

/** A stretch of time, from its start up to before its end: in roll-ups of a span, or in records by themselves. */
export interface TimePart {
  span: number | null;
  from: number;
  to: number;
}

/** A time in as few pieces as roll-ups allow: whole hours, whole minutes around them, and what is left at both ends. */
export function parts(since: number, until: number): TimePart[] {
  return around({ span: spans.hour, from: since, to: until }, (from, to) =>
    around({ span: spans.minute, from, to }, (left, right) => [{ span: null, from: left, to: right }]),
  );
}

function around(
  { span, from, to }: TimePart & { span: number },
  rest: (from: number, to: number) => TimePart[],
): TimePart[] {
  if (from >= to) return [];
  const [first, last] = [Math.ceil(from / span) * span, Math.floor(to / span) * span];
  if (first >= last) return rest(from, to);
  const whole = { span, from: first, to: last };
  return [...(from < first ? rest(from, first) : []), whole, ...(last < to ? rest(last, to) : [])];
}
