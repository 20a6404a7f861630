import type { Environment } from '@ambit/runtime';
import type { OnUnreadable } from '../store/former/former-data.ts';
import { importFormer } from '../store/former/import-former.ts';
import type { Store } from '../store/store.ts';
import { configuredStore, type StoreConfig } from './configured-store.ts';

/**
 * The store of a configuration. Its first operation opens it, and imports what Ambit 0.1.0 stored in folders. If that
 * fails, only what needs the store is refused, and the next operation tries again.
 */
export function openStore(config: StoreConfig, environment: Environment, onUnreadable: OnUnreadable): Store {
  const store = configuredStore(config, environment);
  let importing: Promise<void> | undefined;
  let isImported = false;
  const imported = async (): Promise<void> => {
    importing ??= importFormer(config.dataDir, store, onUnreadable).finally(() => {
      importing = undefined;
    });
    await importing;
    isImported = true;
  };
  return {
    ...store,
    async run(name, ...given) {
      if (!isImported) await imported();
      return store.run(name, ...given);
    },
  };
}
