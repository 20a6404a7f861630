import { SkillError } from '@ambit/core';
import type { AuditEvent } from '@ambit/core/audit';
import { eventHash, genesisHash, placedText } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { sha256 } from '../sha256.ts';
import { eventRow } from './event-row.ts';

/**
 * Takes over the events of the first schema, which had no chain: it is computed over them as they are, in their order.
 * That they were not changed before, it cannot say.
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
  // In pages, for a statement that is being read from keeps others from being run.
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
      `event ${sequence} of the version before cannot be read, and the log is left as it is: put a backup in its place, or set it aside and begin another`,
      { cause },
    );
  }
}
