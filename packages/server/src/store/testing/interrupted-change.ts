import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Leaves `keys.db` as a process does that is killed while it writes a change: with pages of the change, and with a journal
 * that undoes them.
 */
export function interruptChange(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-interrupted-'));
  const journal = `${file}-journal`;
  const database = new Sqlite(file);
  // Written to the file before the commit, as soon as they do not fit into the cache.
  database.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DELETE FROM keys;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO keys (name, sha256, record, revoked_at, position) SELECT 'n' || i, i, hex(zeroblob(50)), NULL, i FROM n`);
  copyFileSync(file, join(folder, 'keys.db'));
  copyFileSync(journal, join(folder, 'journal'));
  database.close();
  copyFileSync(join(folder, 'journal'), journal);
  copyFileSync(join(folder, 'keys.db'), file);
  rmSync(folder, { recursive: true });
}
