import { SkillError } from '@ambit/core';
import type { AuditEvent } from '@ambit/core/audit';
import { eventHash, genesisHash, placedText } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { eventRow } from './event-row.ts';
import { sha256 } from './sha256.ts';

/**
 * Imports the events of the first schema, which had no chain: the chain is computed over them in
 * their order. It cannot show whether they were changed before.
 */
export function chainOldEvents(database: Database): void {
  const logId = database.prepare("SELECT value FROM meta WHERE key = 'log_id'").pluck().get() as string;
  const old = database.prepare<[number], { sequence: number; body: string }>(
    'SELECT sequence, body FROM events WHERE sequence > ? ORDER BY sequence LIMIT 1000',
  );
  const insert = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  let hash = genesisHash(sha256, logId);
  // In pages, because an open read statement blocks other statements.
  for (let last = 0; ; ) {
    const page = old.all(last);
    for (const { sequence, body: text } of page) {
      const { executionId, opens, body } = eventRow(readOld(sequence, text));
      hash = eventHash(sha256, hash, placedText(sequence, body));
      insert.run(sequence, executionId, opens ? 1 : 0, body, hash);
      last = sequence;
    }
    if (page.length === 0) break;
  }
  database.exec(
    'INSERT INTO open_records (execution_id, sequence) SELECT execution_id, record FROM open_before',
  );
}

function readOld(sequence: number, text: string): AuditEvent {
  try {
    return JSON.parse(text) as AuditEvent;
  } catch (cause) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `event ${sequence} of the older log cannot be read, so the log was not upgraded; restore a backup, or move the log away to start a new one`,
      { cause },
    );
  }
}
