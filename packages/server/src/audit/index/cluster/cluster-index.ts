import { SkillError } from '@ambit/core';
import {
  type CallRecord,
  callRecord,
  isCallEvent,
  type RecordedPayload,
  type RecordFilter,
  recordFits,
  type StatsQuery,
} from '@ambit/core/audit';
import { auditSchemaName } from '../../../store/postgres/connections.ts';
import {
  postgresAdvice,
  serverErrorOf,
  UnknownCommitError,
} from '../../../store/postgres/postgres-advice.ts';
import type { PostgresSettings } from '../../../store/postgres/postgres-settings.ts';
import { transactionsIn } from '../../../store/postgres/transactions.ts';
import { type Row, type Statement, sql } from '../../../store/statement.ts';
import { requireSame } from '../../log/open-log-file.ts';
import { openReadonly } from '../../log/open-readonly.ts';
import type { AuditIndex, IndexedLog } from '../audit-index.ts';
import { daemonEvents } from '../daemon-events.ts';
import { type Candidate, recordFinder } from '../find-records.ts';
import { logChain } from '../log-chain.ts';
import { logSource, type PlacedEvent } from '../log-source.ts';
import { eventIn } from '../next-records.ts';
import { postgresCalls } from '../postgres/postgres-calls.ts';
import { StaleIndexError, trigramFinder } from '../postgres/postgres-index.ts';
import { postgresStats } from '../postgres/postgres-stats.ts';
import { jsonOf } from '../postgres/stored-text.ts';
import { eventsAfter, inOrderOfTime, type NodeEventRow } from './events-of-nodes.ts';
import { indexNode, isBehind, type NodeExtent, nodeExtents } from './index-node.ts';
import { placeBlock, placeDay } from './place.ts';

/** One to index, and two to read. */
const poolSize = 3;
/** The records that one statement reads. */
const recordsMax = 64;
const exportedMax = 500;
/** Percentiles of more calls are within 1 %. */
const exactCallsMax = 20_000;
const placeTriesMax = 5;

/** The logs of all nodes of a cluster and their index, from the thread of one node. Its own log answers questions about events and its chain. */
export function clusterIndex(
  { file, opened }: IndexedLog,
  settings: PostgresSettings,
  onNote: (note: string) => void,
): AuditIndex {
  requireSame(file, opened);
  const database = openReadonly(file);
  const own = logSource(database);
  const transactions = transactionsIn(
    { ...settings, poolSize },
    { use: 'beside', schema: auditSchemaName, index: 'clusterIndex' },
  );
  /** The rows that were found together: their records are read together. */
  const together = new WeakMap<Candidate, readonly Candidate[]>();
  const records = new WeakMap<Candidate, CallRecord>();
  let extents: readonly NodeExtent[] = [];

  const run = async <Result>(ask: () => Promise<Result>, tries = 1): Promise<Result> => {
    try {
      return await ask();
    } catch (error) {
      // Another node has taken a place meanwhile, or the step may have been committed: it reads how far the index is.
      const isLate = error instanceof UnknownCommitError || serverErrorOf(error)?.code === '23505';
      if (isLate && tries < placeTriesMax) return run(ask, tries + 1);
      if (/^(42P01|3F000)$/.test(serverErrorOf(error)?.code ?? '') && tries === 1)
        throw new StaleIndexError('its tables were removed', { cause: error });
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the audit index in ${settings.target.shown} cannot be used: ${postgresAdvice(error)}`,
        { cause: error },
      );
    }
  };
  const read = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    const rows = (await run(() => transactions.read(statement))) as readonly Found[];
    for (const row of rows)
      together.set(row as unknown as Candidate, rows as unknown as readonly Candidate[]);
    return rows;
  };
  const readRecords = async (calls: readonly Candidate[]): Promise<Map<number, CallRecord>> => {
    const places = calls.map(({ sequence }) => sequence);
    const rows = await read<StoredRecord>(storedRecords(places));
    return new Map(rows.map((row) => [row.place, recordOf(row)] as const).filter(isWhole));
  };
  const recordAt = async (call: Candidate): Promise<CallRecord | undefined> => {
    if (!records.has(call)) {
      const group = together.get(call) ?? [call];
      const from = group.indexOf(call);
      const some = group.slice(from, from + recordsMax).filter(({ fits }) => fits !== 0);
      const found = await readRecords(some);
      for (const each of some) {
        const record = found.get(each.sequence);
        if (record !== undefined) records.set(each, record);
      }
    }
    return records.get(call);
  };
  const finder = recordFinder(
    postgresCalls(
      read,
      {
        last: () => Number.MAX_SAFE_INTEGER,
        block: placeBlock,
        texts: placeDay,
        hasNodes: true,
        async before(high, calls) {
          const [found] = await read<{ sequence: number }>(
            sql`SELECT sequence FROM calls WHERE sequence <= ${high} ORDER BY sequence DESC OFFSET ${calls} LIMIT 1`,
          );
          return found?.sequence ?? 0;
        },
      },
      trigramFinder(read, onNote),
    ),
    {
      async openingOf(executionId) {
        const [found] = await read<{ sequence: number }>(
          sql`SELECT calls.sequence FROM ambit.audit_events AS events
            JOIN calls ON calls.node = events.node AND opened = events.sequence
            WHERE execution_id = ${jsonOf(executionId)} AND opens = 1 LIMIT 1`,
        );
        return found?.sequence;
      },
      contains: () => true,
      record: recordAt,
    },
  );
  const stats = postgresStats(read, {
    block: placeBlock,
    async isExact({ low, high, since, until }) {
      const [found] = await read<{ count: number }>(
        sql`SELECT count(*) AS count FROM (SELECT 1 FROM calls WHERE sequence >= ${low} AND sequence < ${high}
          AND started >= ${since} AND started < ${until} LIMIT ${exactCallsMax + 1}) AS counted`,
      );
      return (found?.count ?? 0) <= exactCallsMax;
    },
  });
  const sum = (...of: ('shipped' | 'indexed' | 'interrupted' | 'shownInterrupted')[]): number =>
    extents.reduce((events, extent) => of.reduce((total, each) => total + extent[each], events), 0);
  return {
    ...finder,
    stats: async (query: StatsQuery, now: number) => stats(query, now),
    events: own.events,
    daemonEvents: daemonEvents(database),
    chain: logChain(database),
    async eventsOfNodes(after, limit) {
      if (after === null) {
        const ends = await read<{ node: number; through: number }>(
          sql`SELECT node, through FROM ambit.audit_logs`,
        );
        return { events: [], position: Object.fromEntries(ends.map(({ node, through }) => [node, through])) };
      }
      return inOrderOfTime(await read<NodeEventRow>(eventsAfter(after, limit)), after, limit);
    },
    async head() {
      const [found] = await read<{ last: number | null }>(sql`SELECT max(sequence) AS last FROM calls`);
      return found?.last ?? 0;
    },
    async needed() {
      extents = await read<NodeExtent>(nodeExtents);
      return sum('shipped', 'interrupted');
    },
    through: () => sum('indexed', 'shownInterrupted'),
    async step() {
      const behind = extents.find(isBehind);
      if (behind === undefined) return;
      const now = await run(() => transactions.run(() => indexNode(behind.node)));
      // Only what was shipped when the question arrived is waited for.
      const indexed = Math.min(now.indexed, behind.shipped);
      const shownInterrupted = Math.min(now.shownInterrupted, behind.interrupted);
      extents = extents.map((extent) =>
        extent === behind ? { ...extent, indexed, shownInterrupted } : extent,
      );
    },
    async scan(filter: RecordFilter, after: number, through: number) {
      const calls = await read<Candidate & Row>(
        sql`SELECT sequence, ended FROM calls WHERE sequence > ${after} AND sequence <= ${through}
          ORDER BY sequence LIMIT ${exportedMax}`,
      );
      const found: CallRecord[] = [];
      for (const call of calls) {
        const record = await recordAt(call);
        if (record !== undefined && recordFits(record, filter)) found.push(record);
      }
      const last = calls.at(-1)?.sequence;
      return { records: found, after: last === undefined || calls.length < exportedMax ? null : last };
    },
    close() {
      void transactions.close();
      database.close();
    },
  };
}

/** The stored events and texts of a record. */
interface StoredRecord extends Record<string, unknown> {
  place: number;
  node: number;
  name: string;
  opened: number;
  opening: string;
  ended: number | null;
  ending: string | null;
  texts: string | null;
  /** The time when its node was lost or retired with it, in milliseconds since the epoch; `null` if it was not. */
  interrupted: number | null;
}

function storedRecords(places: readonly number[]): Statement {
  return sql`SELECT calls.sequence AS place, calls.node, logs.name, opened, opening.body AS opening,
      calls.ended, ending.body AS ending,
      CASE WHEN calls.ended IS NULL AND opened <= interrupted_through THEN interrupted_at END AS interrupted,
      (SELECT json_agg(json_build_object('of', side, 'text', text, 'isCut', is_cut)) FROM ambit.audit_payloads AS texts
        WHERE texts.node = calls.node AND texts.sequence IN (opened, ended) AND texts.sequence > payloads_pruned) AS texts
    FROM json_array_elements_text(${JSON.stringify(places)}) AS given JOIN calls ON calls.sequence = given.value::BIGINT
    JOIN ambit.audit_logs AS logs ON logs.node = calls.node
    LEFT JOIN ambit.nodes AS nodes ON nodes.id = calls.node
    JOIN ambit.audit_events AS opening ON opening.node = calls.node AND opening.sequence = opened
    LEFT JOIN ambit.audit_events AS ending ON ending.node = calls.node AND ending.sequence = ended AND ended <> opened`;
}

/** `undefined` for events that form no record: verification reports them. */
function recordOf({
  place,
  name,
  opened,
  opening,
  ended,
  ending,
  texts,
  interrupted,
}: StoredRecord): CallRecord | undefined {
  const first = placed(opened, opening);
  const last = ended === null || ending === null ? undefined : placed(ended, ending);
  const payloads = JSON.parse(texts ?? '[]') as { of: RecordedPayload['of']; text: string; isCut: number }[];
  try {
    const record = callRecord(
      [first, last].filter((event) => event !== undefined),
      payloads.map(({ of, text, isCut }) => ({ of, text: JSON.parse(text) as string, isCut: isCut === 1 })),
    );
    const placedRecord = { ...record, node: JSON.parse(name) as string, place };
    if (interrupted === null || record.outcome !== 'running') return placedRecord;
    // The log of the cluster has the entry about its node.
    return { ...placedRecord, outcome: 'interrupted', endedAt: new Date(interrupted).toISOString() };
  } catch {
    return undefined;
  }
}

function placed(sequence: number, body: string): PlacedEvent | undefined {
  const event = eventIn(body);
  return event !== undefined && isCallEvent(event) ? { sequence, event } : undefined;
}

function isWhole(entry: readonly [number, CallRecord | undefined]): entry is readonly [number, CallRecord] {
  return entry[1] !== undefined;
}
