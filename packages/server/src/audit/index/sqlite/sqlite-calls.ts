import type { RecordFilter } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import {
  type CallFinder,
  type Candidate,
  type Extent,
  newest,
  type Search,
  textsCost,
} from '../find-records.ts';
import { blockSequences, textSequences } from '../log-index.ts';
import type { LogSource } from '../log-source.ts';
import { textIndex, trigramQuery } from './text-index.ts';

const ofKind = `(@actor IS NULL OR actor = @actor) AND (@outcome IS NULL OR outcome = @outcome
    OR @outcome = 'unsuccessful' AND outcome NOT IN ('succeeded', 'denied', 'running'))
  AND (@tier IS NULL OR tier = @tier) AND (@via IS NULL OR via = @via) AND (@denied IS NULL
    OR denied <> '[]' AND EXISTS (SELECT 1 FROM json_each(denied) WHERE json_each.value = @denied))`;
const ofSkill = '(@skill IS NULL OR skill = @skill)';
const fits = `(${ofSkill} OR unknown = @skill) AND ${ofKind} AND started >= @since AND started < @until`;
const inRange = 'sequence >= @low AND sequence <= @high';
const inTime = `${inRange} AND started >= @since AND started < @until`;
const newestFirst = 'ORDER BY sequence DESC LIMIT @limit';

/** Finds calls in an index in SQLite. */
export function sqliteCalls(index: Database, log: LogSource): CallFinder {
  const prepare = <Row>(sql: string) => index.prepare<[Search & { limit?: number }], Row>(sql);
  const ofCalls = 'SELECT sequence, ended FROM calls CROSS JOIN kinds ON kinds.id = kind WHERE';
  const walk = prepare<Candidate>(`${ofCalls} ${inRange} AND ${fits} ${newestFirst}`);
  const inChain = prepare<Candidate>(
    `${ofCalls} parent = @parentId AND ${inRange} AND ${fits} ${newestFirst}`,
  );
  // A page of n calls has only calls of the n kinds that were called last, so it reads no others.
  const merge = prepare<Candidate>(
    `WITH heads AS MATERIALIZED (
       SELECT id, (SELECT sequence FROM calls WHERE kind = id AND ${inTime} ORDER BY sequence DESC LIMIT 1) AS newest
       FROM kinds WHERE ${ofSkill} AND ${ofKind} ORDER BY newest DESC LIMIT @limit)
     SELECT calls.sequence, calls.ended FROM heads CROSS JOIN json_each((
       SELECT json_group_array(sequence) FROM (SELECT sequence FROM calls WHERE kind = heads.id AND ${inTime} ${newestFirst})
     )) AS found CROSS JOIN calls ON calls.sequence = found.value WHERE newest IS NOT NULL
     UNION ALL SELECT * FROM (${ofCalls} unknown = @skill AND ${inRange} AND ${fits} ${newestFirst})
     ${newestFirst}`,
  );
  const count = prepare<number>(
    `SELECT (SELECT count(*) FROM kinds CROSS JOIN calls ON kind = kinds.id WHERE ${ofSkill} AND ${ofKind} AND ${inTime})
       + (SELECT count(*) FROM calls CROSS JOIN kinds ON kinds.id = kind WHERE unknown = @skill AND ${inRange} AND ${fits})`,
  ).pluck();
  const single = index.prepare<[number], Candidate>('SELECT sequence, ended FROM calls WHERE sequence = ?');
  const { tables } = textIndex(index);

  const finders = new Map<number, ReturnType<typeof findIn>>();
  const findIn = (table: number) =>
    index.prepare<[Search & { trigrams: string; before: number }], Candidate & { line: number }>(
      `SELECT line, sequence, ended, ${fits} AS fits FROM (
         SELECT rowid AS line FROM text_${table} WHERE text_${table} MATCH @trigrams
           AND rowid >= CAST(@low * 2 AS INTEGER) AND rowid < CAST(@before AS INTEGER) ORDER BY rowid DESC LIMIT 1000)
       CROSS JOIN calls ON sequence = line / 2 CROSS JOIN kinds ON kinds.id = kind ORDER BY line DESC`,
    );

  /** Yields the calls whose texts have all trigrams, and the beginning of each searched table. */
  function* withTrigrams(trigrams: string, search: Search): Generator<Candidate> {
    for (const table of tables()) {
      const from = table * textSequences;
      if (from > search.high || from + textSequences <= search.low) continue;
      const find = finders.get(table) ?? findIn(table);
      finders.set(table, find);
      let last: number | undefined;
      for (let before = search.high * 2 + 2, found = 1000; found === 1000; ) {
        const candidates = find.all({ ...search, trigrams, before });
        for (const candidate of candidates) {
          if (candidate.sequence !== last) yield candidate;
          last = candidate.sequence;
        }
        before = candidates.at(-1)?.line ?? 0;
        found = candidates.length;
      }
      yield { sequence: from, ended: null, fits: 0, cost: textsCost };
    }
  }

  return {
    hasNodes: false,
    before: (high, calls) => high - calls,
    extent: timeExtent(index),
    walk: (search, limit) => walk.all({ ...search, limit }),
    inChain: (search, limit) => inChain.all({ ...search, limit }),
    merge: (search, limit) => merge.all({ ...search, limit }),
    withText(text, search) {
      const trigrams = trigramQuery(text, log.newestTexts());
      return trigrams === undefined ? undefined : withTrigrams(trigrams, search);
    },
    single: (sequence) => single.get(sequence),
    count: (search) => count.get(search) ?? 0,
  };
}

function timeExtent(index: Database): (filter: RecordFilter) => Extent {
  const highest = index.prepare<[], number | null>('SELECT max(sequence) FROM calls').pluck();
  const blocks = index.prepare<[number, number], { low: number | null; high: number }>(
    `SELECT min(block) * ${blockSequences} AS low, (max(block) + 1) * ${blockSequences} - 1 AS high
     FROM blocks WHERE last >= ? AND first < ?`,
  );
  const lastIn = index
    .prepare<[number, number, number, number], number | null>(
      'SELECT max(sequence) FROM calls WHERE sequence > ? AND sequence <= ? AND started >= ? AND started < ?',
    )
    .pluck();
  return ({ since = -newest, until = newest }) => {
    if (since === -newest && until === newest) return { low: 0, high: highest.get() ?? 0 };
    const { low, high } = blocks.get(since, until) ?? { low: null, high: 0 };
    if (low === null) return { low: 0, high: -1 };
    const below = high - blockSequences;
    return { low, high: lastIn.get(below, high, since, until) ?? below };
  };
}
