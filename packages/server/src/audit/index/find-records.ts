import type { AuditQuery, CallRecord } from '@ambit/core/audit';
import { type AuditPage, type RecordFilter, recordFits } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { blockSequences, textSequences } from './index-file.ts';
import type { LogSource } from './log-source.ts';
import { textIndex, trigramQuery } from './text-index.ts';

/** A call in the index. `fits` is 0 if its values rule it out. `cost` is the cost of finding it. */
interface Candidate {
  sequence: number;
  ended: number | null;
  fits?: number;
  cost?: number;
}

/** The parameters of the statements: the filters, and the sequences to search, inclusive. */
type Search = ReturnType<typeof parameters> & { low: number; high: number };

/** A page ends early at this cost. Most candidates cost 1; one whose record was read and does not match costs more. */
const costMax = 6000;
const readingCost = 8;
const tableCost = 20;

const chunkMax = 100;
/** The newest calls are compared one by one first, because matches are often there. */
const walkedSequences = 4096;
const countedSequences = 2_000_000;
const newest = 2 ** 50;

const ofKind = `(@actor IS NULL OR actor = @actor) AND (@outcome IS NULL OR outcome = @outcome)
  AND (@tier IS NULL OR tier = @tier) AND (@via IS NULL OR via = @via) AND (@denied IS NULL
    OR denied <> '[]' AND EXISTS (SELECT 1 FROM json_each(denied) WHERE json_each.value = @denied))`;
const ofSkill = '(@skill IS NULL OR skill = @skill)';
const fits = `(${ofSkill} OR unknown = @skill) AND ${ofKind} AND started >= @since AND started < @until`;
const inRange = 'sequence >= @low AND sequence <= @high';
const inTime = `${inRange} AND started >= @since AND started < @until`;
const newestFirst = 'ORDER BY sequence DESC LIMIT @limit';

/** Queries on records, each answered in bounded time. */
export function recordFinder(index: Database, log: LogSource) {
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
  const extent = timeExtent(index);
  const { tables } = textIndex(index);

  function* newestFirstIn(search: Search, chunk: number): Generator<Candidate> {
    for (let { high } = search; ; ) {
      const [low, walked] = [search.low, Math.max(search.low, high - walkedSequences)];
      const part = (from: number) => ({ ...search, low: from, high, limit: chunk });
      let found = search.parentId === null ? walk.all(part(walked)) : inChain.all(part(low));
      if (found.length < chunk && walked > low && search.parentId === null) found = merge.all(part(low));
      yield* found;
      if (found.length < chunk) return;
      high = (found.at(-1)?.sequence ?? 0) - 1;
    }
  }

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
      yield { sequence: from, ended: null, fits: 0, cost: tableCost };
    }
  }

  /** Reads and compares each candidate: the index only narrows the search. */
  const page = (
    candidates: Iterable<Candidate>,
    filter: RecordFilter,
    limit: number,
    most = costMax,
  ): AuditPage => {
    const records: CallRecord[] = [];
    let cost = 0;
    let next = newest;
    for (const { sequence, ended, fits = 1, cost: toFind = 1 } of candidates) {
      if (cost >= most) return { records, next, partial: true };
      next = sequence;
      cost += toFind;
      if (fits === 0) continue;
      const isLikely = filter.text === undefined || log.contains(sequence, ended, filter.text);
      const record = isLikely ? log.record(sequence, ended) : undefined;
      if (record === undefined || !recordFits(record, filter)) {
        cost += readingCost;
        continue;
      }
      if (records.length === limit) return { records, next: records.at(-1)?.sequence ?? null };
      records.push(record);
      cost -= toFind;
    }
    return { records, next: null };
  };

  const searchIn = (filter: RecordFilter, before: number): Search => {
    const { low, high } = extent(filter);
    return { ...parameters(filter), low, high: Math.min(high, before - 1) };
  };
  const query = ({ limit, before = newest, ...filter }: AuditQuery): AuditPage => {
    if (filter.executionId !== undefined) {
      const call = single.get(log.openingOf(filter.executionId) ?? before);
      return page(call !== undefined && call.sequence < before ? [call] : [], filter, limit);
    }
    const search = searchIn(filter, before);
    const trigrams = filter.text === undefined ? undefined : trigramQuery(filter.text, log.newestTexts());
    const byValues = page(
      newestFirstIn(search, Math.min(limit + 1, chunkMax)),
      filter,
      limit,
      trigrams === undefined ? costMax : costMax / 15,
    );
    if (byValues.partial === undefined || trigrams === undefined) return byValues;
    const byText = page(withTrigrams(trigrams, search), filter, limit);
    // Of two searches that end early, the one that got further.
    return byText.partial === true && (byText.next ?? 0) > (byValues.next ?? 0) ? byValues : byText;
  };
  return {
    /** A page, newest first. A long search ends early with a partial page, and `next` continues. */
    query,
    /** The matching records so far: `next` is where to continue, `null` at the end. */
    count(filter: RecordFilter, before: number): { count: number; next: number | null } {
      if (filter.text !== undefined || filter.executionId !== undefined || filter.parentId !== undefined) {
        const { records, next } = query({ ...filter, limit: chunkMax, before });
        return { count: records.length, next };
      }
      const search = searchIn(filter, before);
      const low = Math.max(search.low, search.high - countedSequences);
      return { count: count.get({ ...search, low }) ?? 0, next: low > search.low ? low : null };
    },
  };
}

/**
 * The sequences between which all calls of a time range are, inclusive. If the clock went back,
 * calls of other times may be among them.
 */
function timeExtent(index: Database): (filter: RecordFilter) => { low: number; high: number } {
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

function parameters(filter: RecordFilter) {
  const { skill = null, actor = null, outcome = null, tier = null, via = null, denied = null } = filter;
  const { parentId = null, since = -newest, until = newest } = filter;
  return { skill, actor, outcome, tier, via, denied, parentId, since, until };
}
