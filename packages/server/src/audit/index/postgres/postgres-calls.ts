import { type Row, type Statement, sql } from '../../../store/statement.ts';
import { type CallFinder, type Candidate, newest, type Search, textsCost } from '../find-records.ts';
import { foldCase } from '../log-index.ts';
import { jsonOf } from './stored-text.ts';

/** Runs a statement on an index that has everything up to the last step. */
export type Read = <Found extends Row>(statement: Statement) => Promise<readonly Found[]>;

type CandidateRow = Candidate & Record<string, unknown>;

/** Without trigrams, every text is compared. A page then searches three ranges. */
const comparedCost = 2000;
const linesMax = 1000;

/** The numbering of an index's calls. */
export interface CallOrder {
  /** The highest number. */
  last(): number;
  /** The numbers of a block: see `blocks`. */
  block: number;
  /** The numbers in which texts are searched at a time. */
  texts: number;
  before: CallFinder['before'];
  /** Whether it has the column `node`, with the calls of all nodes of a cluster. */
  hasNodes: boolean;
}

/** Finds calls in an index in PostgreSQL. */
export function postgresCalls(read: Read, order: CallOrder, hasTrigrams: () => Promise<boolean>): CallFinder {
  const candidates = (statement: Statement) => read<CandidateRow>(statement);

  /** Yields the calls whose folded texts have a folded text, and the beginning of each searched range. */
  async function* withText(text: string, search: Search): AsyncGenerator<Candidate> {
    const isIndexed = await hasTrigrams();
    const pattern = `%${foldCase(text).replace(/[\\%_]/g, '\\$&')}%`;
    let width = order.texts;
    for (let { high } = search; high >= search.low; width *= isIndexed ? 4 : 1) {
      const from = Math.max(search.low, high - width + 1);
      for (let found = linesMax; found === linesMax; ) {
        const some = await candidates(sql`SELECT sequence, ended, (${fits(search)})::INT AS fits FROM (
            SELECT DISTINCT record FROM texts WHERE text LIKE ${pattern} AND record >= ${from} AND record <= ${high}
            ORDER BY record DESC LIMIT ${linesMax}) AS found
          JOIN calls ON sequence = record JOIN kinds ON kinds.id = kind ORDER BY sequence DESC`);
        yield* some;
        found = some.length;
        high = found === linesMax ? (some.at(-1)?.sequence ?? 0) - 1 : from - 1;
      }
      yield {
        sequence: from,
        ended: null,
        fits: 0,
        cost: isIndexed ? (textsCost * width) / order.texts : comparedCost,
      };
    }
  }

  return {
    before: order.before,
    hasNodes: order.hasNodes,
    async extent({ since, until }) {
      if (since === undefined && until === undefined) return { low: 0, high: order.last() };
      const [found] = await read<{ low: number | null; high: number | null }>(
        sql`SELECT min(block) * ${order.block}::BIGINT AS low, (max(block) + 1) * ${order.block}::BIGINT - 1 AS high
          FROM blocks WHERE last >= ${Math.ceil(since ?? -newest)} AND first < ${Math.ceil(until ?? newest)}`,
      );
      return { low: found?.low ?? 0, high: found?.high ?? -1 };
    },
    // With `OFFSET 0`, PostgreSQL reads the range first instead of searching it for each kind.
    walk: (search, limit) =>
      candidates(sql`SELECT sequence, ended FROM (SELECT * FROM calls WHERE ${inRange(search)} OFFSET 0) AS calls
        JOIN kinds ON kinds.id = kind WHERE ${fits(search)} ORDER BY sequence DESC LIMIT ${limit}`),
    inChain: (search, limit) =>
      candidates(sql`SELECT sequence, ended FROM calls JOIN kinds ON kinds.id = kind
        WHERE parent = ${jsonOf(search.parentId)} AND ${inRange(search)} AND ${fits(search)} ORDER BY sequence DESC LIMIT ${limit}`),
    // A page of n calls has only calls of the n kinds that were called last, so it reads no others.
    merge: (search, limit) =>
      candidates(sql`WITH heads AS MATERIALIZED (
          SELECT id, head.sequence FROM kinds CROSS JOIN LATERAL (
            SELECT sequence FROM calls WHERE kind = id AND ${inTime(search)} ORDER BY sequence DESC LIMIT 1) AS head
          WHERE ${ofSkill(search)} AND ${ofKind(search)} ORDER BY head.sequence DESC LIMIT ${limit})
        SELECT found.sequence, found.ended FROM heads CROSS JOIN LATERAL (
          SELECT sequence, ended FROM calls WHERE kind = id AND ${inTime(search)} ORDER BY sequence DESC LIMIT ${limit}) AS found
        UNION ALL (SELECT sequence, ended FROM calls JOIN kinds ON kinds.id = kind
          WHERE unknown = ${jsonOf(search.skill)} AND ${inTime(search)} AND ${ofKind(search)} ORDER BY sequence DESC LIMIT ${limit})
        ORDER BY sequence DESC LIMIT ${limit}`),
    withText: (text, search) => ([...text].length < 3 ? undefined : withText(text, search)),
    async single(sequence) {
      const [found] = await candidates(
        sql`SELECT sequence, ended FROM calls WHERE sequence = ${Math.min(sequence, newest)}`,
      );
      return found;
    },
    async count(search) {
      const [found] = await read<{ count: number }>(
        sql`SELECT count(*) AS count FROM calls JOIN kinds ON kinds.id = kind WHERE ${inRange(search)} AND ${fits(search)}`,
      );
      return found?.count ?? 0;
    },
  };
}

function fits(search: Search): Statement {
  return sql`(${ofSkill(search)} OR unknown = ${jsonOf(search.skill)}) AND ${ofKind(search)} AND ${started(search)}${ofNode(search)}`;
}

function ofSkill({ skill }: Search): Statement {
  return sql`(${jsonOf(skill)}::TEXT IS NULL OR skill = ${jsonOf(skill)})`;
}

function ofKind({ actor, outcome, tier, via, denied }: Search): Statement {
  return sql`(${jsonOf(actor)}::TEXT IS NULL OR actor = ${jsonOf(actor)})
    AND (${outcome}::TEXT IS NULL OR outcome = ${outcome}
      OR ${outcome}::TEXT = 'unsuccessful' AND outcome NOT IN ('succeeded', 'denied', 'running'))
    AND (${tier}::TEXT IS NULL OR tier = ${tier}) AND (${via}::TEXT IS NULL OR via = ${via})
    AND (${jsonOf(denied)}::TEXT IS NULL OR strpos(denied, ${jsonOf(denied)}) > 0)`;
}

function inTime(search: Search): Statement {
  return sql`${inRange(search)} AND ${started(search)}${ofNode(search)}`;
}

/** Only in the index of a cluster: `audit_logs` is in its database. */
function ofNode({ node }: Search): Statement {
  return node === null
    ? sql``
    : sql` AND calls.node = (SELECT node FROM ambit.audit_logs WHERE name = ${JSON.stringify(node)})`;
}

function started({ since, until }: Search): Statement {
  return sql`started >= ${Math.ceil(since)} AND started < ${Math.ceil(until)}`;
}

function inRange({ low, high }: Search): Statement {
  return sql`sequence >= ${Math.ceil(low)} AND sequence <= ${Math.floor(high)}`;
}
