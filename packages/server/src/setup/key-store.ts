import type { Environment } from '@ambit/runtime';
import type { KeySource, KeyStore } from '../auth/key-store.ts';
import { requireNotRetired } from '../cluster/membership/require-not-retired.ts';
import { keysFile, keysFileSource, unusableKeys } from '../store/keys/keys-file.ts';
import { polledKeys } from '../store/keys/polled-keys.ts';
import { storedKeys } from '../store/keys/stored-keys.ts';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import type { Store } from '../store/store.ts';
import { dataFiles } from './data-dir.ts';

const unusableInStore =
  'the store has an unusable key; correct its row in the table keys, or restore a backup';

/**
 * The keys of a configuration for the daemon, whose store is `store`. Without the store, there are none until it can be
 * reached.
 */
export async function openKeySource(
  config: StoreConfig,
  store: Store,
): Promise<KeySource & { close(): void }> {
  if (config.store.postgres === null)
    return { ...keysFileSource(dataFiles(config).keys), close: () => undefined };
  return polledKeys({ database: store, unusable: unusableInStore });
}

/**
 * Calls `use` with the keys of a configuration, for commands. Rejects with a `KeyFileError` or `STORE_UNAVAILABLE`, with
 * `NODE_RETIRED` for a change at a retired node, and as `use` does.
 */
export async function withKeyStore<Result>(
  config: StoreConfig,
  environment: Environment,
  purpose: 'read' | 'change',
  use: (keys: KeyStore) => Promise<Result>,
): Promise<Result> {
  const settings = postgresSettings(config, environment);
  if (settings === null) {
    const { keys } = dataFiles(config);
    return use(storedKeys(keysFile(keys), unusableKeys(keys)));
  }
  // A daemon may use it at the same time.
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    if (purpose === 'change') await requireNotRetired(store, config.dataDir);
    return await use(storedKeys(store, unusableInStore));
  } finally {
    await store.close();
  }
}
