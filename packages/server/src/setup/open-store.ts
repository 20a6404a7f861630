import type { Config } from '../config/config.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { dataFiles } from './data-dir.ts';

/** The store of a configuration. Its first operation opens it. If that fails, only what needs the store is refused. */
export function openStore(config: Pick<Config, 'dataDir'>): Store {
  return openSqliteStore(dataFiles(config).store);
}
