import Sqlite, { type Database } from 'better-sqlite3';
import { databaseAdvice } from '../../sqlite/database-advice.ts';
import { schemaVersion } from '../migrations.ts';
import { decisionOperations, type StoredDecisions } from '../operations/decisions.ts';
import { storeError } from '../store-error.ts';
import { runner } from './open-store-file.ts';

/**
 * The version of the schema in a `store.db`, which may be in use; `undefined` before the first start has finished. Changes
 * nothing that is stored. Throws `STORE_UNAVAILABLE`.
 */
export function inspectStoreFile(file: string): number | undefined {
  return inStoreFile(file, (database) =>
    hasTable(database, 'migrations') ? runner(database)(schemaVersion('store')) : undefined,
  );
}

/** Returns the operator's decisions, from a `store.db` that may be in use. Changes nothing. Throws `STORE_UNAVAILABLE`. */
export function decisionsInFile(file: string): StoredDecisions {
  return inStoreFile(file, (database) => {
    if (!hasTable(database, 'decisions')) return { revision: 0, approvals: [], revocations: [] };
    const run = runner(database);
    const readAll = (): StoredDecisions => {
      run(schemaVersion('store'));
      return run(decisionOperations.listDecisions());
    };
    return database.transaction(readAll)();
  });
}

function inStoreFile<Result>(file: string, use: (database: Database) => Result): Result {
  try {
    // Not read-only: such a connection cannot remove the files that SQLite creates beside the database.
    const database = new Sqlite(file, { fileMustExist: true, timeout: 1000 });
    try {
      return use(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeError(file, databaseAdvice(file, error), error);
  }
}

function hasTable(database: Database, name: string): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}
