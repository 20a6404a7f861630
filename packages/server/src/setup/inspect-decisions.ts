import { existsSync } from 'node:fs';
import type { Environment } from '@ambit/runtime';
import { type Decisions, decisionsOf, noDecisions, readDecisions } from '../installs/decisions.ts';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { decisionsInFile } from '../store/sqlite/inspect-store-file.ts';
import { dataFiles } from './data-dir.ts';

/** Reads the decisions beside a process that may have the store open. Rejects with `STORE_UNAVAILABLE`. */
export async function inspectDecisions(config: StoreConfig, environment: Environment): Promise<Decisions> {
  const settings = postgresSettings(config, environment);
  if (settings === null) {
    const file = dataFiles(config).store;
    return existsSync(file) ? decisionsOf(decisionsInFile(file)) : noDecisions;
  }
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    return await readDecisions(store);
  } finally {
    await store.close();
  }
}
