import { isCallEvent, type LogPruned } from '@ambit/core/audit';
import { lockFamily } from '../../../store/postgres/prepare-schema.ts';
import { rowsOf, type Statement, sql, type Transaction } from '../../../store/statement.ts';
import {
  type CallRow,
  eventIn,
  farBehind,
  nextRecords,
  type RecordReader,
  stepEvents,
} from '../next-records.ts';
import { addTexts, keyWithOutcome, kindKey, putKinds } from '../postgres/fill-step.ts';
import { jsonOf } from '../postgres/stored-text.ts';
import { placeAfter, placeBlock } from './place.ts';

/** The advisory lock of a node is its number after this one: nodes never wait for each other. */
const firstNodeLock = 1000;
/** The calls that one statement deletes. */
const deletedCalls = 20_000;

/** The shipped and the indexed extent of a node's log. */
export interface NodeExtent extends Record<string, unknown> {
  node: number;
  shipped: number;
  indexed: number;
  /** The calls up to this event that have no end are interrupted, and up to which event the index shows that. */
  interrupted: number;
  shownInterrupted: number;
}

const extent: Statement = {
  parts: [
    `audit_logs.node, audit_logs.through AS shipped, coalesce(indexed.through, 0) AS indexed,
     coalesce(nodes.interrupted_through, 0) AS interrupted, coalesce(indexed.interrupted, 0) AS "shownInterrupted",
     coalesce(indexed.place, 0) AS place
     FROM ambit.audit_logs LEFT JOIN ambit.nodes ON nodes.id = audit_logs.node LEFT JOIN indexed ON indexed.node = audit_logs.node`,
  ],
  values: [],
};

/** The extents of all nodes. */
export const nodeExtents = sql`SELECT ${extent} ORDER BY audit_logs.node`;

/** Whether the index lacks something of a node. */
export function isBehind({ shipped, indexed, interrupted, shownInterrupted }: NodeExtent): boolean {
  return indexed < shipped || shownInterrupted < interrupted;
}

/** Indexes the next shipped events of a node, a bounded number. Returns how far it is. Any node may do it. */
export function* indexNode(node: number): Transaction<NodeExtent> {
  yield sql`SELECT pg_advisory_xact_lock(${lockFamily}, ${firstNodeLock + node})`;
  const [found] = yield* rowsOf<NodeExtent & { place: number }>(
    sql`SELECT ${extent} WHERE audit_logs.node = ${node}`,
  );
  if (found === undefined || !isBehind(found))
    return found ?? { node, shipped: 0, indexed: 0, interrupted: 0, shownInterrupted: 0 };
  const { shipped, indexed, interrupted } = found;
  const reader = yield* shippedRecords(node, indexed, shipped);
  const { last, rows, texts, prunings } = nextRecords(reader, indexed, shipped);
  const through = last === indexed ? shipped : last;
  const began = rows.filter(({ sequence }) => sequence > indexed);
  const places = yield* placesFor(node, began, found.place);
  yield* putKinds(rows);
  const others = rows.flatMap(({ sequence }) => (sequence > indexed ? [] : [sequence]));
  for (const { opened, sequence } of yield* placesOf(node, others)) places.set(opened, sequence);
  yield* putCalls(node, rows, places);
  yield* addTexts(
    texts.flatMap(({ record, ...text }) => {
      const place = places.get(record);
      return place === undefined ? [] : [{ ...text, record: place }];
    }),
  );
  const place = Math.max(found.place, ...began.map(({ sequence }) => places.get(sequence) ?? 0));
  yield* extendBlocks(node, indexed, through);
  for (const pruned of prunings) yield* prune(node, pruned);
  const shownInterrupted = through < interrupted ? found.shownInterrupted : interrupted;
  if (shownInterrupted > found.shownInterrupted) yield* showInterrupted(node, shownInterrupted);
  yield sql`INSERT INTO indexed (node, through, place, interrupted)
    VALUES (${node}, ${through}, ${place}, ${shownInterrupted})
    ON CONFLICT (node) DO UPDATE SET through = excluded.through, place = excluded.place, interrupted = excluded.interrupted`;
  // PostgreSQL does it by itself later, and until then plans without knowing what the tables have.
  if (shipped - indexed > farBehind && (indexed === 0 || shipped - through <= farBehind))
    yield sql`ANALYZE kinds, calls, blocks, texts`;
  return { node, shipped, indexed: through, interrupted, shownInterrupted };
}

/** Shows the calls of a node up to an event as interrupted if they have no end. If the node sends an end later, that is shown. */
function* showInterrupted(node: number, through: number): Transaction<void> {
  const running = yield* rowsOf<{ id: number; key: string }>(
    sql`SELECT DISTINCT kinds.id, kinds.key FROM calls JOIN kinds ON kinds.id = calls.kind
      WHERE node = ${node} AND ended IS NULL AND opened <= ${through} AND outcome = 'running'`,
  );
  if (running.length === 0) return;
  const changed = running.map(({ id, key }) => ({ id, key: keyWithOutcome(key, 'interrupted') }));
  yield sql`INSERT INTO kinds (key, skill, actor, via, tier, outcome, denied)
    SELECT given.key, skill, actor, via, tier, 'interrupted', denied
    FROM json_to_recordset(${JSON.stringify(changed)}) AS given (id INTEGER, key TEXT) JOIN kinds USING (id)
    ORDER BY given.key ON CONFLICT DO NOTHING`;
  yield sql`UPDATE calls SET kind = interrupted.id
    FROM json_to_recordset(${JSON.stringify(changed)}) AS given (id INTEGER, key TEXT)
    JOIN kinds AS interrupted ON interrupted.key = given.key
    WHERE calls.kind = given.id AND node = ${node} AND ended IS NULL AND opened <= ${through}`;
}

/** Reads the next events, with the beginnings of the records that they end. */
function* shippedRecords(node: number, from: number, upTo: number): Transaction<RecordReader> {
  const page = yield* rowsOf<{ sequence: number; body: string }>(
    sql`SELECT sequence, body FROM ambit.audit_events
      WHERE node = ${node} AND sequence > ${from} AND sequence <= ${upTo} ORDER BY sequence LIMIT ${stepEvents(upTo - from)}`,
  );
  const bodies = new Map(page.map(({ sequence, body }) => [sequence, body]));
  const openings = new Map<string, number>();
  const ended: string[] = [];
  for (const { sequence, body } of page) {
    const event = eventIn(body);
    if (event === undefined || !isCallEvent(event)) continue;
    if ('via' in event) openings.set(event.executionId, sequence);
    else if (!openings.has(event.executionId)) ended.push(event.executionId);
  }
  if (ended.length > 0)
    for (const { id, sequence, body } of yield* rowsOf<{ id: string; sequence: number; body: string }>(
      sql`SELECT execution_id AS id, sequence, body FROM ambit.audit_events
        WHERE opens = 1 AND node = ${node} AND execution_id IN (
          SELECT value FROM json_array_elements_text(${JSON.stringify(ended.map((id) => jsonOf(id)))}))`,
    )) {
      openings.set(JSON.parse(id) as string, sequence);
      bodies.set(sequence, body);
    }
  const last = page.at(-1)?.sequence ?? from;
  const payloads = yield* rowsOf<{ sequence: number; of: 'input' | 'output'; text: string; isCut: number }>(
    sql`SELECT sequence, side AS of, text, is_cut AS "isCut" FROM ambit.audit_payloads
      WHERE node = ${node} AND sequence > ${from} AND sequence <= ${last} ORDER BY sequence`,
  );
  return {
    after: () => [...page],
    payloads: () =>
      payloads.map(({ text, ...payload }) => ({ ...payload, text: JSON.parse(text) as string })),
    openingOf: (executionId) => openings.get(executionId),
    event(sequence) {
      const body = bodies.get(sequence);
      const event = body === undefined ? undefined : eventIn(body);
      return event !== undefined && isCallEvent(event) ? { sequence, event } : undefined;
    },
  };
}

/** Reserves a place for each call of a node, in the order of its log. */
function* placesFor(node: number, calls: readonly CallRow[], last: number): Transaction<Map<number, number>> {
  const places = new Map<number, number>();
  const sorted = calls.toSorted((a, b) => a.sequence - b.sequence);
  let place = last;
  const wanted = sorted.map(({ sequence, started }) => {
    place = placeAfter(place, node, started);
    return { opened: sequence, place };
  });
  const taken = yield* takenPlaces(wanted.map((each) => each.place));
  place = last;
  for (const { sequence, started } of sorted) {
    place = placeAfter(place, node, started);
    while (taken.has(place)) place += 1;
    places.set(sequence, place);
  }
  return places;
}

/** The places near these that other nodes have. */
function* takenPlaces(places: readonly number[]): Transaction<ReadonlySet<number>> {
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const found = yield* rowsOf<{ sequence: number }>(
    sql`SELECT sequence FROM calls WHERE sequence >= ${first} AND sequence <= ${last + places.length}`,
  );
  return new Set(found.map(({ sequence }) => sequence));
}

/** Stores records at their places. A record that has none was pruned. */
function* putCalls(
  node: number,
  rows: readonly CallRow[],
  places: ReadonlyMap<number, number>,
): Transaction<void> {
  const given = rows.flatMap((row) => {
    const { sequence: opened, started, ended, duration, unknown, parent } = row;
    const place = places.get(opened);
    if (place === undefined) return [];
    return {
      place,
      opened,
      started,
      ended,
      duration,
      unknown: jsonOf(unknown),
      parent: jsonOf(parent),
      key: kindKey(row),
    };
  });
  yield sql`INSERT INTO calls (sequence, node, opened, kind, started, ended, duration, unknown, parent)
    SELECT place, ${node}::INTEGER, opened, kinds.id, started, ended, duration, unknown, parent
    FROM json_to_recordset(${JSON.stringify(given)}) AS given (place BIGINT, opened BIGINT, key TEXT, started BIGINT,
      ended BIGINT, duration FLOAT8, unknown TEXT, parent TEXT)
    JOIN kinds USING (key)
    ON CONFLICT (node, opened) DO UPDATE SET kind = excluded.kind, ended = excluded.ended, duration = excluded.duration`;
}

function* placesOf(
  node: number,
  opened: readonly number[],
): Transaction<readonly { opened: number; sequence: number }[]> {
  if (opened.length === 0) return [];
  return yield* rowsOf<{ opened: number; sequence: number }>(
    // With `OFFSET 0`, PostgreSQL looks each of them up.
    sql`SELECT opened, sequence FROM json_array_elements_text(${JSON.stringify(opened)}) AS given CROSS JOIN LATERAL (
        SELECT opened, sequence FROM calls WHERE node = ${node} AND opened = given.value::BIGINT OFFSET 0) AS found`,
  );
}

function* extendBlocks(node: number, after: number, through: number): Transaction<void> {
  yield sql`INSERT INTO blocks (block, first, last)
    SELECT sequence / ${placeBlock}::BIGINT AS block, min(started), max(started) FROM calls
    WHERE node = ${node} AND opened > ${after} AND opened <= ${through} GROUP BY 1 ORDER BY 1
    ON CONFLICT (block) DO UPDATE SET first = least(blocks.first, excluded.first), last = greatest(blocks.last, excluded.last)`;
}

/** Deletes pruned records. Combinations of values stay: another node may be using one. */
function* prune(node: number, { what, through }: LogPruned): Transaction<void> {
  const [lowest] = yield* rowsOf<{ opened: number | null }>(
    sql`SELECT min(opened) AS opened FROM calls WHERE node = ${node}`,
  );
  const isAll = what === 'events' ? 1 : 0;
  for (let from = lowest?.opened ?? through + 1; from <= through; from += deletedCalls) {
    const until = Math.min(through, from + deletedCalls - 1);
    yield sql`DELETE FROM texts USING calls WHERE record = calls.sequence AND node = ${node}
      AND opened >= ${from} AND opened <= ${until} AND (${isAll} = 1 OR NOT is_output OR ended <= ${through})`;
    if (isAll === 1)
      yield sql`DELETE FROM calls WHERE node = ${node} AND opened >= ${from} AND opened <= ${until}`;
  }
}
