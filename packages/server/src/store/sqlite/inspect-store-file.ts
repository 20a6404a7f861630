import Sqlite from 'better-sqlite3';
import { databaseAdvice } from '../../sqlite/database-advice.ts';
import { schemaVersion } from '../migrations.ts';
import { storeError } from '../store-error.ts';
import { runner } from './open-store-file.ts';

/**
 * The version of the schema in a `store.db`, which may be in use; `undefined` before the first start has finished. Changes
 * nothing that is stored. Throws `STORE_UNAVAILABLE`.
 */
export function inspectStoreFile(file: string): number | undefined {
  try {
    // Not read-only: such a connection cannot remove the files that SQLite creates beside the database.
    const database = new Sqlite(file, { fileMustExist: true, timeout: 1000 });
    try {
      const table = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'migrations'").get();
      return table === undefined ? undefined : runner(database)(schemaVersion('store'));
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeError(file, databaseAdvice(file, error), error);
  }
}
