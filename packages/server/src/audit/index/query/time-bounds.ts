import type { RecordFilter } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { spans } from '../indexer/roll-ups.ts';

/**
 * The sequences between which all records opened in a time range are, inclusive. If the clock went
 * back, records of other times may be among them.
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

/** The range of a `Date`. */
export const [earliest, latest] = [-8.64e15, 8.64e15];

/** A time range, exclusive of its end: in roll-ups of a span, or in single records. */
export interface TimePart {
  span: number | null;
  from: number;
  to: number;
}

/**
 * Divides a time range into few pieces: whole hours, whole minutes around them, and the remainders
 * at both ends.
 */
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
