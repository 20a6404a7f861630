import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createPrivately } from '../../sqlite/create-privately.ts';
import { isLocked, loadSqlite, unusable } from './lock-data-dir.ts';

/** The turn to do something for a data directory. The kernel ends it when the process ends, even after a crash. */
export interface Turn {
  release(): void;
}

/**
 * Takes the turn to `start` the daemon, so that commands at the same moment start one daemon together: one of them starts it, the
 * others wait for it. Or to change the configuration (`config`), so that no change is lost. `undefined`: another process has the turn.
 * Rejects with `AUDIT_UNAVAILABLE` if the data directory cannot be used.
 */
export async function takeTurn(dataDir: string, what: 'start' | 'config'): Promise<Turn | undefined> {
  const Sqlite = await loadSqlite();
  let database: Database | undefined;
  try {
    const file = join(dataDir, `${what}-lock`);
    createPrivately(file);
    database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    // Nothing is ever written, so no journal file is needed.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (isLocked(error)) return undefined;
    throw unusable(dataDir, error);
  }
  const held = database;
  return { release: () => void held.close() };
}
