import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { databaseAdvice } from '../sqlite/database-advice.ts';
import { keysFile } from './keys/keys-file.ts';
import { keyOperations, type StoredKey } from './operations/keys.ts';
import { postgresAdvice } from './postgres/postgres-advice.ts';
import type { PostgresSettings } from './postgres/postgres-settings.ts';
import { transactionsIn } from './postgres/transactions.ts';
import { openStoreFile } from './sqlite/open-store-file.ts';
import { rowsOf, type Statement, type Transaction, type Value } from './statement.ts';
import { storeError } from './store-error.ts';

/** The tables of a store, with their columns. The keys are in another file. */
const columns = {
  claims: ['name', 'owner', 'execution_id', 'fingerprint', 'claimed_at', 'bytes', 'head', 'body'],
  workspaces: ['id', 'record', 'bytes'],
  contents: ['workspace', 'sha256', 'part', 'content'],
  state_sizes: ['skill', 'keys', 'bytes'],
  state: ['skill', 'key', 'bytes', 'value'],
  approvals: ['id', 'digest', 'record'],
  revocations: ['subject', 'record'],
};
const tables = Object.keys(columns) as (keyof typeof columns)[];

/** The number of copied rows of each table. */
export type CopiedRows = Record<keyof typeof columns | 'keys', number>;

/**
 * Copies the files of SQLite, where they exist, into PostgreSQL in one transaction. No daemon may use either. Resolves to
 * `undefined`, and changes nothing, if the database has data. Rejects with `STORE_UNAVAILABLE`.
 */
export async function copyStore(
  files: { store: string; keys: string },
  settings: PostgresSettings,
): Promise<CopiedRows | undefined> {
  const { keys } = await keysFile(files.keys).run('listKeys');
  const source = existsSync(files.store) ? openSource(files.store) : undefined;
  const transactions = transactionsIn(settings, { use: 'alone' });
  try {
    return await transactions.run(() => copying(source, keys));
  } catch (error) {
    throw storeError(settings.target.shown, postgresAdvice(error), error);
  } finally {
    source?.close();
    await transactions.close();
  }
}

function openSource(file: string): Database {
  try {
    return openStoreFile(file);
  } catch (error) {
    throw storeError(file, databaseAdvice(file, error), error);
  }
}

function* copying(
  source: Database | undefined,
  keys: readonly StoredKey[],
): Transaction<CopiedRows | undefined> {
  for (const table of [...tables, 'keys']) {
    const found = yield* rowsOf({ parts: [`SELECT 1 AS found FROM ${table} LIMIT 1`], values: [] });
    if (found.length > 0) return undefined;
  }
  const copied: Partial<CopiedRows> = {};
  for (const table of tables) {
    let rows = 0;
    for (const row of source === undefined ? [] : rowsIn(source, table)) {
      yield insertion(table, row);
      rows += 1;
    }
    copied[table] = rows;
  }
  yield* keyOperations.copyKeys(keys);
  return { ...copied, keys: keys.length } as CopiedRows;
}

/** One row at a time: a response can have megabytes. */
function* rowsIn(source: Database, table: keyof typeof columns): Generator<Value[]> {
  const next = source
    .prepare<[number], [number, ...Value[]]>(
      `SELECT rowid, ${columns[table].join(', ')} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1`,
    )
    .raw();
  for (let row = next.get(0); row !== undefined; ) {
    const [rowid, ...values] = row;
    yield values;
    row = next.get(rowid);
  }
}

function insertion(table: keyof typeof columns, values: readonly Value[]): Statement {
  const between = columns[table].slice(1).map(() => ', ');
  const start = `INSERT INTO ${table} (${columns[table].join(', ')}) VALUES (`;
  return { parts: [start, ...between, ')'], values };
}
