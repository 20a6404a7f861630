import { lstatSync } from 'node:fs';
import { trustStore, whyDataDirUntrusted } from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import type { Environment } from '@ambit/runtime';
import type { KeyRecord } from '../auth/key-record.ts';
import type { KeySource, KeyStore } from '../auth/key-store.ts';
import { requireNotRetired } from '../cluster/membership/require-not-retired.ts';
import type { Config } from '../config/config.ts';
import { importFormerKeys, readFormerKeys, setAsideFormerKeys } from '../store/former/keys.ts';
import { keysFile, keysFileSource, unusableKeys } from '../store/keys/keys-file.ts';
import { polledKeys } from '../store/keys/polled-keys.ts';
import { type KeyDatabase, storedKeys } from '../store/keys/stored-keys.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import type { Store } from '../store/store.ts';
import { postgresSettings, type StoreConfig } from './configured-store.ts';
import { dataFiles, recordKeys } from './data-dir.ts';

type KeyConfig = StoreConfig & Pick<Config, 'dataDirTrust'>;

type KeyPurpose = 'read' | 'change';

const unusableInStore =
  'the store has an unusable key; correct its row in the table keys, or restore a backup';

/**
 * The keys of a configuration for the daemon, whose store is `store`. Imports the keys of Ambit 0.1.0. Without the store, there
 * are none until it can be reached. Rejects with a `KeyFileError`.
 */
export async function openKeySource(
  config: KeyConfig,
  store: Store,
  onImportFailed: (error: SkillError) => void,
): Promise<KeySource & { close(): void }> {
  const { keys } = dataFiles(config);
  if (config.store.postgres === null) {
    await importKeys(config, keysFile(keys));
    return { ...keysFileSource(keys), close: () => undefined };
  }
  await importKeys(config, store).catch((error: unknown) => {
    if (!(error instanceof SkillError)) throw error;
    onImportFailed(error);
  });
  return polledKeys({ database: store, unusable: unusableInStore });
}

/**
 * Calls `use` with the keys of a configuration, for commands. Imports the keys of Ambit 0.1.0. Rejects with a `KeyFileError` or
 * `STORE_UNAVAILABLE`, to change keys at a retired node with `NODE_RETIRED`, and as `use` does.
 */
export async function withKeyStore<Result>(
  config: KeyConfig,
  environment: Environment,
  purpose: KeyPurpose,
  use: (keys: KeyStore) => Promise<Result>,
): Promise<Result> {
  return withKeyDatabase(config, environment, purpose, async (database, unusable) => {
    await importKeys(config, database);
    return use(storedKeys(database, unusable));
  });
}

/** All keys of a configuration, in order of creation. Changes nothing: keys of Ambit 0.1.0 are read where they are. */
export async function inspectKeys(
  config: KeyConfig,
  environment: Environment,
): Promise<readonly KeyRecord[]> {
  const former = readFormerKeys(dataFiles(config).formerKeys) ?? [];
  const keys = await withKeyDatabase(config, environment, 'read', (database, unusable) =>
    storedKeys(database, unusable).list(),
  );
  const names = new Set(keys.map(({ name }) => name));
  return [...keys, ...former.filter(({ name }) => !names.has(name))];
}

async function withKeyDatabase<Result>(
  config: KeyConfig,
  environment: Environment,
  purpose: KeyPurpose,
  use: (database: KeyDatabase, unusable: string) => Promise<Result>,
): Promise<Result> {
  const settings = postgresSettings(config, environment);
  if (settings === null) {
    const { keys } = dataFiles(config);
    return use(keysFile(keys), unusableKeys(keys));
  }
  // A daemon may use it at the same time.
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    if (purpose === 'change') await requireNotRetired(store, config.dataDir);
    return await use(store, unusableInStore);
  } finally {
    await store.close();
  }
}

async function importKeys(config: KeyConfig, database: KeyDatabase): Promise<void> {
  const { formerKeys } = dataFiles(config);
  // A link that leads nowhere is refused too.
  if (lstatSync(formerKeys, { throwIfNoEntry: false }) === undefined) return;
  // The keys become the user's own only if the former file was.
  const isOwn = await isRecorded(config);
  if (!(await importFormerKeys(formerKeys, database))) return;
  if (isOwn) await recordKeys(config);
  await setAsideFormerKeys(formerKeys);
}

async function isRecorded({ dataDir, dataDirTrust: { dataHome } }: KeyConfig): Promise<boolean> {
  return whyDataDirUntrusted(trustStore(dataHome), dataDir).then(
    (reason) => reason === undefined,
    () => false,
  );
}
