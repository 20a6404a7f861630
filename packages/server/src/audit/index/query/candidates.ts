import type { RecordFilter } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import type { IndexParts } from '../indexer/index-parts.ts';
import type { LogSource } from '../indexer/log-source.ts';
import { trigramsOf } from '../indexer/text-index.ts';
import { timeBounds } from './time-bounds.ts';
import { trigramSample } from './trigram-sample.ts';

/** A record as stored in the index. */
export interface Candidate {
  sequence: number;
  shape: number;
  time: number;
  ended: number | null;
}

/** How much more a query may read. */
export interface Budget {
  left: number;
  /** Everything from there on has been searched. */
  reached: number;
}

/**
 * The records that match a filter according to the index, newest first; ends early when the budget
 * is used up.
 */
export type Candidates = (filter: RecordFilter, before: number, budget: Budget) => Generator<Candidate>;

/** The cost of reading a record's stored payload, compared with its index entry. */
export const readingCost = 30;

/** The cost of searching a table of texts with few matches. */
const tableCost = 200;

/** The newest records are compared one by one first, because matches are often there. */
const walkedAtOnce = 1000;

/** The cost of starting a list, in skipped records. */
const listCost = 2;

export function candidatesIn({ index, shapes, texts }: IndexParts, log: LogSource): Candidates {
  const columns = 'sequence, shape, time, ended';
  const walk = index.prepare<[number, number], Candidate>(
    `SELECT ${columns} FROM records WHERE sequence < ? ORDER BY sequence DESC LIMIT ?`,
  );
  const bySequence = index.prepare<[number], Candidate>(`SELECT ${columns} FROM records WHERE sequence = ?`);
  const newestOf = index.prepare<[number, string], { shape: number; sequence: number }>(
    `SELECT value AS shape, sequence FROM (
       SELECT value, (SELECT sequence FROM records WHERE shape = value AND sequence < ? ORDER BY sequence DESC LIMIT 1) AS sequence
       FROM json_each(?))
     WHERE sequence IS NOT NULL`,
  );
  const byParent = listOf(index, columns, 'parent_id');
  const byUnknown = listOf(index, columns, 'unknown');
  const byShape = listOf(index, columns, 'shape');
  const bounds = timeBounds(index);
  const sample = trigramSample(log);

  function* merged(
    filter: RecordFilter,
    fitting: ReadonlyMap<number, number>,
    before: number,
  ): Generator<Candidate> {
    const { skill } = filter;
    const kinds = [...fitting.keys()].filter((id) => skill === undefined || !shapes.get(id).isUnknown);
    // In one query: there may be thousands.
    const heads = newestOf
      .all(before, JSON.stringify(kinds))
      .map(({ shape, sequence }): Head => ({ sequence, next: (below) => byShape(shape, below)?.sequence }));
    if (skill !== undefined) heads.push(...withHead((below) => byUnknown(skill, below)?.sequence, before));
    heads.sort((a, b) => a.sequence - b.sequence);
    for (let newest = heads.pop(); newest !== undefined; newest = heads.pop()) {
      const candidate = bySequence.get(newest.sequence);
      if (candidate !== undefined) yield candidate;
      for (const following of withHead(newest.next, newest.sequence))
        heads.splice(placeOf(heads, following.sequence), 0, following);
    }
  }

  function* inOrder(
    filter: RecordFilter,
    fitting: ReadonlyMap<number, number>,
    before: number,
  ): Generator<Candidate> {
    let below = before;
    // At most as long as starting all lists takes: then neither way costs much more than the better
    // one.
    for (let walked = 0; walked < Math.max(walkedAtOnce, fitting.size * listCost); walked += walkedAtOnce) {
      const newest = walk.all(below, walkedAtOnce);
      yield* newest;
      const last = newest.at(-1);
      if (last === undefined || newest.length < walkedAtOnce) return;
      below = last.sequence;
    }
    yield* merged(filter, fitting, below);
  }

  function* found(text: string, before: number, lowest: number, budget: Budget): Generator<Candidate> {
    for (const sequence of texts.candidates(sample.rarest(text), before, lowest)) {
      if (sequence === null) budget.left -= tableCost;
      const candidate = sequence === null ? undefined : bySequence.get(sequence);
      if (candidate !== undefined) yield candidate;
    }
  }

  /** Whether the text index narrows the search more than the other filters. */
  const isTextBetter = (text: string, fitting: ReadonlyMap<number, number>): boolean => {
    if (trigramsOf(text).length === 0) return false;
    const fit = [...fitting.values()].reduce((sum, records) => sum + records, 0);
    return sample.commonness(text) <= (fit / shapes.total()) * readingCost;
  };

  function* linked(parentId: string, before: number): Generator<Candidate> {
    for (let last = byParent(parentId, before); last !== undefined; last = byParent(parentId, last.sequence))
      yield last;
  }

  return function* (filter, before, budget) {
    const { text, parentId, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
    const { lowest, highest } = bounds(filter);
    const below = Math.min(before, highest + 1);
    budget.reached = below;
    const fitting = shapes.fitting(filter);
    if (fitting.size === 0) return;
    const looked =
      parentId !== undefined
        ? linked(parentId, below)
        : text !== undefined && isTextBetter(text, fitting)
          ? found(text, below, lowest, budget)
          : inOrder(filter, fitting, below);
    for (const candidate of looked) {
      if (candidate.sequence < lowest) return;
      if (budget.left <= 0) return;
      budget.reached = candidate.sequence;
      budget.left -= 1;
      const { shape, time } = candidate;
      if (fitting.has(shape) && time >= since && time < until) yield candidate;
    }
  };
}

function listOf(
  index: Database,
  columns: string,
  column: string,
): (value: string | number, below: number) => Candidate | undefined {
  const next = index.prepare<[string | number, number], Candidate>(
    `SELECT ${columns} FROM records WHERE ${column} = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1`,
  );
  return (value, below) => next.get(value, below);
}

/** The position in a list of records, and how to continue below a sequence. */
interface Head {
  sequence: number;
  next(below: number): number | undefined;
}

function withHead(next: Head['next'], below: number): Head[] {
  const sequence = next(below);
  return sequence === undefined ? [] : [{ sequence, next }];
}

/** The position of a sequence in ascending heads. */
function placeOf(heads: readonly Head[], sequence: number): number {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((heads[middle]?.sequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
