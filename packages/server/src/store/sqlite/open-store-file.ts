import Sqlite, { type Database } from 'better-sqlite3';
import { createPrivately } from '../../sqlite/create-privately.ts';
import { migrate } from '../migrations.ts';
import { sqliteDialect } from '../schema/step.ts';
import { type Row, type Statement, type Transaction, textOf } from '../statement.ts';

/** The time that a commit waits for another process that has the file locked. */
export const lockWaitMs = 5000;

/** The size to which the write-ahead log returns. */
const walBytesMax = 16 * 1024 * 1024;

/**
 * Opens `store.db` (mode 600; created if it does not exist, its folder must), with the current schema. What is committed is
 * on disk. Throws if this program does not know its schema, and errors of the file system and SQLite.
 */
export function openStoreFile(file: string): Database {
  createPrivately(file);
  const database = new Sqlite(file, { fileMustExist: true, timeout: lockWaitMs });
  try {
    const mode = database.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal')
      throw new Error(
        `its file system does not support SQLite's write-ahead log (the journal mode is ${mode}); move the data directory to a local disk`,
      );
    database.pragma('synchronous = FULL');
    // One large commit would otherwise leave a file of its size beside the database.
    database.pragma(`journal_size_limit = ${walBytesMax}`);
    // Removed data must not remain in free pages.
    database.pragma('secure_delete = ON');
    // On macOS an ordinary fsync leaves the data in the drive's cache; elsewhere this has no effect.
    database.pragma('fullfsync = ON');
    const run = runner(database);
    database.transaction(() => run(migrate(sqliteDialect, 'store'))).immediate();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs the steps of a transaction, in the current transaction of the database. */
export function runner(database: Database): <Result>(steps: Transaction<Result>) => Result {
  const prepared = new Map<string, (values: Statement['values']) => readonly Row[]>();
  const rowsOf = (statement: Statement): readonly Row[] => {
    const text = textOf(statement, () => '?');
    let run = prepared.get(text);
    if (run === undefined) {
      const compiled = database.prepare<unknown[], Row>(text);
      run = (values) => {
        if (compiled.reader) return compiled.all(...values);
        compiled.run(...values);
        return [];
      };
      prepared.set(text, run);
    }
    return run(statement.values);
  };
  return (steps) => {
    let step = steps.next();
    while (!step.done) step = steps.next(rowsOf(step.value));
    return step.value;
  };
}
