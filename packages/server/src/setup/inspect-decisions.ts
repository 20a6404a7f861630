import { existsSync } from 'node:fs';
import type { Environment } from '@ambit/runtime';
import { type Decisions, decisionsOf, noDecisions, readDecisions } from '../installs/decisions.ts';
import type { StoredDenyList } from '../store/operations/decisions.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { decisionsInFile, denyListInFile } from '../store/sqlite/inspect-store-file.ts';
import type { Store } from '../store/store.ts';
import { postgresSettings, type StoreConfig } from './configured-store.ts';
import { dataFiles } from './data-dir.ts';

/** Reads the decisions beside a process that may have the store open. Rejects with `STORE_UNAVAILABLE`. */
export async function inspectDecisions(config: StoreConfig, environment: Environment): Promise<Decisions> {
  return inspected(
    config,
    environment,
    (file) => (existsSync(file) ? decisionsOf(decisionsInFile(file)) : noDecisions),
    readDecisions,
  );
}

/** Reads the last accepted version of a deny list in the same way. */
export async function inspectDenyList(
  config: StoreConfig,
  environment: Environment,
  url: string,
): Promise<StoredDenyList | undefined> {
  return inspected(
    config,
    environment,
    (file) => (existsSync(file) ? denyListInFile(file, url) : undefined),
    (store) => store.run('denyList', url),
  );
}

async function inspected<Result>(
  config: StoreConfig,
  environment: Environment,
  ofFile: (file: string) => Result,
  ofDatabase: (store: Store) => Promise<Result>,
): Promise<Result> {
  const settings = postgresSettings(config, environment);
  if (settings === null) return ofFile(dataFiles(config).store);
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    return await ofDatabase(store);
  } finally {
    await store.close();
  }
}
