import { eventHash, genesisHash, placedText } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { sha256 } from '../log/sha256.ts';

/**
 * The best attack with the file but without the key: recompute every hash over the current content.
 */
export function rewriteChain(database: Database): void {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  let hash = genesisHash(sha256, logId ?? '');
  const rows = database
    .prepare<[], { sequence: number; body: string }>('SELECT sequence, body FROM log ORDER BY sequence')
    .all();
  database.exec('DROP TRIGGER IF EXISTS log_is_not_changed');
  const update = database.prepare('UPDATE log SET hash = ? WHERE sequence = ?');
  for (const { sequence, body } of rows) {
    hash = eventHash(sha256, hash, placedText(sequence, body));
    update.run(hash, sequence);
  }
}
