import { type Environment, secretSource } from '@ambit/runtime';
import type { Config } from '../../config/config.ts';
import { postgresTarget } from '../../config/file/postgres-target.ts';
import type { PostgresSettings } from './postgres-settings.ts';

/** The parts of a configuration that the store needs. */
export type StoreConfig = Pick<Config, 'dataDir' | 'store' | 'secrets' | 'cluster'>;

/** Returns the settings for reaching PostgreSQL; `null` with SQLite. The password is read for each connection. */
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
    target,
    ...limits,
    password: password === undefined ? undefined : () => source(password),
    tls: tls === undefined ? null : tls && { ca: tls.ca ?? null, verify: tls.verify },
  };
}
