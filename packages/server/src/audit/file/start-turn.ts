import { join } from 'node:path';
import Sqlite, { SqliteError } from 'better-sqlite3';
import { createPrivately } from '../../sqlite/create-privately.ts';

/** The turn to start the daemon of a data directory. The kernel ends it when the process ends, even after a crash. */
export interface StartTurn {
  release(): void;
}

/**
 * Takes the turn, so that commands at the same moment start one daemon together: one of them starts it, the others wait for
 * it. `undefined`: another process has the turn. The data directory must exist; throws what the file system does.
 */
export function takeStartTurn(dataDir: string): StartTurn | undefined {
  const file = join(dataDir, 'start-lock');
  createPrivately(file);
  const database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    // Nothing is ever written, so no journal file is needed.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  return { release: () => void database.close() };
}
