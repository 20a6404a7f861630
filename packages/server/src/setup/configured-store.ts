import type { Environment } from '@ambit/runtime';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { dataFiles } from './data-dir.ts';

/** The store in the database that the configuration chooses. Its first operation opens it. */
export function configuredStore(config: StoreConfig, environment: Environment): Store {
  const settings = postgresSettings(config, environment);
  if (settings === null) return openSqliteStore(dataFiles(config).store);
  return openPostgresStore(settings, { use: config.cluster === null ? 'alone' : 'node' });
}
