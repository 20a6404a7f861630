import { type CallEvent, type Receipt, receiptFor, type Signed } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import type { AuditKey } from './audit-key.ts';

interface StoredEvent {
  sequence: number;
  body: string;
  hash: string;
}

/**
 * The receipt of an execution, from its events as they stand in the log. `undefined` for one that is not there, has no
 * end yet, or was refused before it named a skill.
 */
export function readReceipt(
  database: Database,
  key: AuditKey,
  executionId: string,
): Signed<Receipt> | undefined {
  const opening = database
    .prepare<[string], StoredEvent>(
      'SELECT sequence, body, lower(hex(hash)) AS hash FROM log WHERE execution_id = ? AND opens = 1',
    )
    .get(executionId);
  if (opening === undefined || isOpen(database, executionId)) return undefined;
  // An execution's end is seldom far from its beginning, and an index for it would cost every event.
  const end = database
    .prepare<[number, string], StoredEvent>(
      'SELECT sequence, body, lower(hex(hash)) AS hash FROM log WHERE sequence > ? AND execution_id = ? ORDER BY sequence LIMIT 1',
    )
    .get(opening.sequence, executionId);
  if (end === undefined) return undefined;
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  const events = [opening, end].map(({ sequence, hash, body }) => ({
    sequence,
    hash: `sha256:${hash}`,
    event: JSON.parse(body) as CallEvent,
  }));
  const receipt = receiptFor(logId ?? '', events);
  return receipt && key.sign(receipt);
}

function isOpen(database: Database, executionId: string): boolean {
  return database.prepare('SELECT 1 FROM open_records WHERE execution_id = ?').get(executionId) !== undefined;
}
