import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventFacts } from '@ambit/core/audit';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Transactions } from '../../../store/postgres/transactions.ts';
import { type Row, type Statement, sql } from '../../../store/statement.ts';
import { migrate } from '../../log/migrations.ts';

/** The row of a node's log. */
export interface ShippedLogRow extends Record<string, unknown> {
  node: number;
  /** JSON. */
  name: string;
  logId: string;
  through: number;
  hash: string;
  eventsPruned: number;
  payloadsPruned: number;
}

export const shippedLogRows = sql`SELECT node, name, log_id AS "logId", through, hash, events_pruned AS "eventsPruned",
  payloads_pruned AS "payloadsPruned" FROM audit_logs ORDER BY node`;

const pageRows = 2000;

/**
 * Writes the rows of a node's log to a temporary log file, which has everything that the node's own file has, so that the same
 * checks hold for both. Removes it afterwards.
 */
export async function withShippedLog<Result>(
  transactions: Pick<Transactions, 'read'>,
  log: ShippedLogRow,
  use: (database: Database) => Result,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-verify-'));
  try {
    const database = new Sqlite(join(folder, 'audit.db'));
    try {
      database.pragma('journal_mode = OFF');
      database.pragma('synchronous = OFF');
      migrate(database);
      await fill(database, transactions, log);
      return use(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(
  database: Database,
  { read }: Pick<Transactions, 'read'>,
  log: ShippedLogRow,
): Promise<void> {
  const { node, through } = log;
  const setMeta = database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  setMeta.run('log_id', log.logId);
  if (log.eventsPruned > 0) setMeta.run('events_pruned_through', String(log.eventsPruned));
  if (log.payloadsPruned > 0) setMeta.run('payloads_pruned_through', String(log.payloadsPruned));

  const addKey = database.prepare('INSERT INTO keys (key_id, public_key, since) VALUES (?, ?, ?)');
  const keys = sql`SELECT key_id, public_key, since FROM audit_keys WHERE node = ${node} ORDER BY since`;
  for (const row of await read(keys)) addKey.run(...Object.values(row));
  const addCheckpoint = database.prepare('INSERT INTO checkpoints (sequence, signed) VALUES (?, ?)');
  await eachPage(
    read,
    (after) => sql`SELECT sequence, signed FROM audit_checkpoints
      WHERE node = ${node} AND sequence > ${after} AND sequence <= ${through} ORDER BY sequence LIMIT ${pageRows}`,
    (rows) => {
      for (const row of rows) addCheckpoint.run(...Object.values(row));
    },
  );

  const open = new Map<string, number>();
  const addEvent = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  await eachPage<EventRow>(
    read,
    (after) => sql`SELECT sequence, execution_id AS id, opens, body, hash FROM audit_events
      WHERE node = ${node} AND sequence > ${after} AND sequence <= ${through} ORDER BY sequence LIMIT ${pageRows}`,
    (rows) => {
      for (const { sequence, id, opens, body, hash } of rows) {
        const executionId = id === null ? null : textIn(id);
        addEvent.run(sequence, executionId, opens, body, hash);
        if (executionId === null) continue;
        if (opens === 0) open.delete(executionId);
        else if (isLeftOpen(body)) open.set(executionId, sequence);
      }
    },
  );
  const addPayload = database.prepare(
    'INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, ?)',
  );
  await eachPage<PayloadRow>(
    read,
    (after) => sql`SELECT sequence, side, text, is_cut AS "isCut" FROM audit_payloads
      WHERE node = ${node} AND sequence > ${after} AND sequence <= ${through} ORDER BY sequence LIMIT ${pageRows / 20}`,
    (rows) => {
      for (const { sequence, side, text, isCut } of rows) addPayload.run(sequence, side, textIn(text), isCut);
    },
    pageRows / 20,
  );
  const addOpen = database.prepare('INSERT INTO open_records (execution_id, sequence) VALUES (?, ?)');
  for (const [executionId, sequence] of open) addOpen.run(executionId, sequence);
}

interface EventRow extends Row {
  sequence: number;
  id: string | null;
  opens: number;
  body: string;
  hash: Uint8Array;
}

interface PayloadRow extends Row {
  sequence: number;
  side: string;
  text: string;
  isCut: number;
}

/** Reads pages of rows that have a `sequence`, in its order. */
async function eachPage<Found extends Row>(
  read: Transactions['read'],
  page: (after: number) => Statement,
  use: (rows: readonly Found[]) => void,
  rowsMax = pageRows,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = (await read(page(after))) as readonly Found[];
    use(rows);
    if (rows.length < rowsMax) return;
    after = Number(rows.at(-1)?.['sequence']);
  }
}

/** Stored text is JSON. Any other text is returned unchanged, and fails the comparison with its event. */
function textIn(stored: string): string {
  try {
    return String(JSON.parse(stored));
  } catch {
    return stored;
  }
}

/** A request that was refused before it became a call is a whole record. */
function isLeftOpen(body: string): boolean {
  try {
    return eventFacts(body).kind === 'call.started';
  } catch {
    return false;
  }
}
