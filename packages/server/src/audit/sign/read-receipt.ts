import {
  type AuditEvent,
  type CallEvent,
  type EventReceipt,
  isCallEvent,
  type Receipt,
  receiptFor,
  type Signed,
} from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import type { AuditKey } from './audit-key.ts';

interface StoredEvent {
  sequence: number;
  body: string;
  hash: string;
}

/**
 * The receipt of an execution, from its events in the log. `undefined` if the execution does not
 * exist, has not ended, or was refused before it named a skill.
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
  // An execution's end is rarely far from its start, and an index for it would cost space for every
  // event.
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

/**
 * The receipt of an event outside calls. `undefined` if there is no such event, it was pruned, or it belongs to a call.
 */
export function readEventReceipt(
  database: Database,
  key: AuditKey,
  sequence: number,
): Signed<EventReceipt> | undefined {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  const statement = eventReceipt(database, logId ?? '', sequence);
  return statement && key.sign(statement);
}

/** Returns the content of an event's receipt; `undefined` if it has none. */
export function eventReceipt(database: Database, logId: string, sequence: number): EventReceipt | undefined {
  const stored = database
    .prepare<[number], StoredEvent>(
      'SELECT sequence, body, lower(hex(hash)) AS hash FROM log WHERE sequence = ?',
    )
    .get(sequence);
  const event = stored && (JSON.parse(stored.body) as AuditEvent);
  if (stored === undefined || event === undefined || isCallEvent(event)) return undefined;
  return {
    type: 'ambit/event-receipt/1',
    logId,
    sequence,
    hash: `sha256:${stored.hash}`,
    event: { ...event },
  };
}

function isOpen(database: Database, executionId: string): boolean {
  return database.prepare('SELECT 1 FROM open_records WHERE execution_id = ?').get(executionId) !== undefined;
}
