import { type Environment, secretSource } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { postgresTarget } from '../config/file/postgres-target.ts';
import type { PostgresSettings } from '../store/postgres/postgres-settings.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { dataFiles } from './data-dir.ts';

/** The parts of a configuration that the store needs. */
export type StoreConfig = Pick<Config, 'dataDir' | 'store' | 'secrets' | 'cluster'>;

/** The store in the database that the configuration chooses. Its first operation opens it. */
export function configuredStore(config: StoreConfig, environment: Environment): Store {
  const settings = postgresSettings(config, environment);
  if (settings === null) return openSqliteStore(dataFiles(config).store);
  return openPostgresStore(settings, { use: config.cluster === null ? 'alone' : 'node' });
}

/** How the store reaches PostgreSQL; `null` with SQLite. The password is read for each connection. */
export function postgresSettings(
  { store: { postgres }, secrets }: StoreConfig,
  environment: Environment,
): PostgresSettings | null {
  if (postgres === null) return null;
  const { url, password, tls, ...limits } = postgres;
  const target = postgresTarget(url);
  if (typeof target === 'string') throw new Error(target);
  const source = secretSource(secrets, environment);
  return {
    ...{ target, ...limits },
    password: password === undefined ? undefined : () => source(password),
    tls: tls === undefined ? null : tls && { ca: tls.ca ?? null, verify: tls.verify },
  };
}
