import type { LogPruned } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import type { ShippedLog } from '../../store/operations/nodes.ts';
import { rowsOf, sql, type Transaction } from '../../store/statement.ts';
import type { NodeLog } from '../index/cluster/node-log.ts';
import { jsonOf } from '../index/postgres/stored-text.ts';
import { parseEvent } from '../log/event-row.ts';
import { leafText } from '../tree/leaf.ts';
import type { NodeSigner } from '../tree/tree-key.ts';
import type { Batch, ShippableLog } from './shippable-log.ts';

/** The extent of a log in the database. */
export interface ShippedExtent extends ShippedLog {
  /** The last checkpoint. */
  signed: number;
}

/** The lease under which a node sends its log. */
export interface SendingLease {
  epoch: number;
  /** The UUID of its start. */
  instance: string;
}

/** The node does not have the lease under which it sends. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The database has rows that this log did not ship. */
export class OtherRowsError extends Error {
  override readonly name = 'OtherRowsError';
}

/**
 * The steps of a transaction. Throws a `LeaseLostError` at its end if the node does not have this lease, so that nothing is
 * changed. Until the commit, it delays what changes the epoch, which locks the row for that, and not renewals of the lease.
 */
export function* underLease<Result>(
  node: number,
  { epoch, instance }: SendingLease,
  steps: Transaction<Result>,
): Transaction<Result> {
  const result = yield* steps;
  const held = yield* rowsOf(
    sql`SELECT id FROM nodes WHERE id = ${node} AND epoch = ${epoch} AND instance = ${instance} AND state <> 'retired'
      FOR KEY SHARE`,
  );
  if (held.length === 0) throw new LeaseLostError('the node has lost its lease, or was retired');
  return result;
}

/** Reads how far a node's log is, and creates its row, with its keys. Both are as the node had them first. */
export function* beginShipping(
  { node, name }: NodeLog,
  log: ShippableLog,
  signer: NodeSigner,
): Transaction<ShippedExtent> {
  const [created] = yield* rowsOf(
    sql`INSERT INTO audit_logs (node, name, log_id, through, hash, events_pruned, payloads_pruned)
      VALUES (${node}, ${jsonOf(name)}, ${log.logId()}, 0, '', 0, 0) ON CONFLICT DO NOTHING RETURNING node`,
  );
  const publicKey = log.keys()[0]?.publicKey ?? '';
  const statement = canonicalJson({ type: 'ambit/node-log/1', node, logId: log.logId(), publicKey });
  if (created !== undefined)
    yield sql`INSERT INTO tree_pending (leaf)
      VALUES (${leafText({ kind: 'log', node, statement, signature: signer.sign(statement) })})`;
  const extent = yield* shippedExtent(node);
  if (extent.logId === log.logId())
    yield sql`INSERT INTO audit_keys (node, key_id, public_key, since)
      SELECT ${node}::INTEGER, "keyId", "publicKey", since
      FROM json_to_recordset(${JSON.stringify(log.keys())}) AS given ("keyId" TEXT, "publicKey" TEXT, since BIGINT)
      ON CONFLICT DO NOTHING`;
  return extent;
}

/**
 * Adds the events after `extent.through`. Changes nothing if the database is not at `extent`, and returns how far it is. Throws an
 * `OtherRowsError`. What is there is never replaced.
 */
export function* shipBatch(node: number, extent: ShippedExtent, batch: Batch): Transaction<ShippedExtent> {
  // Locks the row: another daemon with this identity waits.
  yield sql`SELECT 1 FROM audit_logs WHERE node = ${node} FOR UPDATE`;
  const found = yield* shippedExtent(node);
  if (found.through !== extent.through || found.logId !== extent.logId || found.hash !== extent.hash)
    return found;
  const { events, payloads, checkpoints } = batch;
  const [added] = yield* rowsOf<{ count: number }>(sql`WITH added AS (
      INSERT INTO audit_events (node, sequence, execution_id, opens, body, hash)
      SELECT ${node}::INTEGER, sequence, id, opens, body, decode(hash, 'hex') FROM json_to_recordset(${JSON.stringify(
        events.map(({ executionId, ...event }) => ({ ...event, id: jsonOf(executionId) })),
      )}) AS given (sequence BIGINT, id TEXT, opens INTEGER, body TEXT, hash TEXT)
      ON CONFLICT DO NOTHING RETURNING 1)
    SELECT count(*) AS count FROM added`);
  if (added?.count !== events.length)
    throw new OtherRowsError(
      `it has events of node ${node} after event ${extent.through} that the node did not ship`,
    );
  if (payloads.length > 0)
    yield sql`INSERT INTO audit_payloads (node, sequence, side, text, is_cut)
      SELECT ${node}::INTEGER, sequence, side, text, "isCut" FROM json_to_recordset(${JSON.stringify(
        payloads.map(({ text, ...payload }) => ({ ...payload, text: jsonOf(text) })),
      )}) AS given (sequence BIGINT, side TEXT, text TEXT, "isCut" INTEGER)
      ON CONFLICT DO NOTHING`;
  if (checkpoints.length > 0)
    yield sql`WITH given AS (
        SELECT sequence, signed, leaf FROM json_to_recordset(${JSON.stringify(
          checkpoints.map((each) => ({
            ...each,
            leaf: leafText({ kind: 'checkpoint', node, signed: each.signed }),
          })),
        )}) AS given (sequence BIGINT, signed TEXT, leaf TEXT)),
      added AS (
        INSERT INTO audit_checkpoints (node, sequence, signed) SELECT ${node}::INTEGER, sequence, signed FROM given
        ON CONFLICT DO NOTHING RETURNING sequence)
      INSERT INTO tree_pending (leaf, node, sequence)
      SELECT leaf, ${node}::INTEGER, sequence FROM given JOIN added USING (sequence)`;
  const last = events.at(-1);
  const through = { through: last?.sequence ?? extent.through, hash: last?.hash ?? extent.hash };
  const prunings = events.flatMap(({ executionId, body }) => (executionId === null ? pruningIn(body) : []));
  const wholeEvents = prunings.filter(({ what }) => what === 'events').map((pruned) => pruned.through);
  const all = prunings.map((pruned) => pruned.through);
  yield sql`UPDATE audit_logs SET through = ${through.through}, hash = ${through.hash},
      events_pruned = greatest(events_pruned, ${Math.max(0, ...wholeEvents)}),
      payloads_pruned = greatest(payloads_pruned, ${Math.max(0, ...all)})
    WHERE node = ${node}`;
  return { logId: extent.logId, ...through, signed: checkpoints.at(-1)?.sequence ?? extent.signed };
}

function* shippedExtent(node: number): Transaction<ShippedExtent> {
  const [found] = yield* rowsOf<ShippedExtent & Record<string, unknown>>(
    sql`SELECT log_id AS "logId", through, hash,
      (SELECT coalesce(max(sequence), 0) FROM audit_checkpoints WHERE node = ${node}) AS signed
      FROM audit_logs WHERE node = ${node}`,
  );
  if (found === undefined) throw new OtherRowsError(`the row of node ${node} in audit_logs was removed`);
  return { ...found };
}

/** `log.pruned` also if verification finds it forged: then what it covers is missing, which verification reports. */
function pruningIn(body: string): LogPruned[] {
  try {
    const event = parseEvent(body);
    return event.kind === 'log.pruned' ? [event] : [];
  } catch {
    return [];
  }
}

/** Stores evidence that a second log of a node exists: its event where the database has another one. */
export function* recordConflict(
  node: number,
  logId: string,
  { sequence, hash }: { sequence: number; hash: string },
): Transaction<void> {
  yield sql`INSERT INTO audit_conflicts (node, log_id, sequence, hash, seen_at)
    VALUES (${node}, ${logId}, ${sequence}, ${hash}, ${new Date().toISOString()}) ON CONFLICT DO NOTHING`;
}

/** The sequences that one statement deletes. */
const deletedSequences = 5000;

/** Deletes some of what a log records as pruned. Returns whether nothing is left. */
export function* pruneShipped(node: number): Transaction<boolean> {
  const [limits] = yield* rowsOf<{
    events: number;
    payloads: number;
    firstEvent: number | null;
    firstPayload: number | null;
  }>(
    sql`SELECT events_pruned AS events, payloads_pruned AS payloads,
      (SELECT min(sequence) FROM audit_events WHERE node = ${node}) AS "firstEvent",
      (SELECT min(sequence) FROM audit_payloads WHERE node = ${node}) AS "firstPayload"
      FROM audit_logs WHERE node = ${node}`,
  );
  if (limits === undefined) return true;
  const { events, payloads, firstEvent, firstPayload } = limits;
  const until = (first: number, limit: number): number => Math.min(limit, first + deletedSequences);
  const hasPayloads = firstPayload !== null && firstPayload <= payloads;
  const hasEvents = firstEvent !== null && firstEvent <= events;
  if (hasPayloads)
    yield sql`DELETE FROM audit_payloads WHERE node = ${node} AND sequence <= ${until(firstPayload, payloads)}`;
  if (hasEvents)
    yield sql`DELETE FROM audit_events WHERE node = ${node} AND sequence <= ${until(firstEvent, events)}`;
  return !hasPayloads && !hasEvents;
}
