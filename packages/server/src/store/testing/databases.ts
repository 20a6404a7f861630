import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KeyRecord } from '../../auth/key-record.ts';
import { keysFile } from '../keys/keys-file.ts';
import type { KeyDatabase } from '../keys/stored-keys.ts';
import { openPostgresStore } from '../postgres/postgres-store.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import type { Store } from '../store.ts';
import { postgresDatabase, socketVariable } from './postgres-databases.ts';

/** Takes the functions that release what a test uses, for reverse order. */
export type AtEnd = (release: () => Promise<void>) => void;

/** A database that can have a store. */
export interface TestDatabase {
  name: string;
  /** Creates an empty database. `atEnd` gets what closes its stores and removes it; by default, when the test has finished. */
  create(atEnd?: AtEnd): Promise<{ open(): Promise<Store>; openKeys(): Promise<KeyDatabase> }>;
}

const postgres: TestDatabase = {
  name: 'PostgreSQL',
  async create(atEnd = onTestFinished) {
    const settings = await postgresDatabase(undefined, atEnd);
    const open = async (): Promise<Store> => {
      const store = openPostgresStore(settings, { use: 'beside' });
      atEnd(() => store.close());
      return store;
    };
    return { open, openKeys: open };
  },
};

/** Every contract of the store holds for each of these. PostgreSQL is missing where its package has no binaries. */
export const databases: readonly TestDatabase[] = [
  {
    name: 'SQLite',
    async create(atEnd = onTestFinished) {
      const folder = await mkdtemp(join(tmpdir(), 'ambit-store-'));
      atEnd(() => rm(folder, { recursive: true }));
      return {
        async open() {
          const store = openSqliteStore(join(folder, 'store.db'));
          atEnd(() => store.close());
          return store;
        },
        openKeys: async () => keysFile(join(folder, 'keys.db')),
      };
    },
  },
  ...(process.env[socketVariable] !== undefined ? [postgres] : []),
];

/** A store in that file, which is closed when the test has finished. */
export function openSqlite(file: string): Store {
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  return store;
}

/** An open store in an empty database. */
export async function emptyStore(database: TestDatabase, atEnd?: AtEnd): Promise<Store> {
  const { open } = await database.create(atEnd);
  return open();
}

export type { KeyRecord } from '../../auth/key-record.ts';
export type { KeyStore } from '../../auth/key-store.ts';
export type { SharedRates } from '../../auth/rate-limiter.ts';
export { copyStore } from '../copy-store.ts';
export { keysFile } from '../keys/keys-file.ts';
export { sharedRates } from '../keys/shared-rates.ts';
export { type KeyDatabase, storedKeys } from '../keys/stored-keys.ts';

/** A key of this name, whose digest no other name has. */
export function keyNamed(name: string): KeyRecord {
  return {
    name,
    scopes: ['prompt'],
    sha256: Buffer.from(name).toString('hex').padEnd(64, '0'),
    createdAt: '2026-03-01T00:00:00.000Z',
  };
}
