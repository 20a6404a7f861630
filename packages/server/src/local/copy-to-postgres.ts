import { existsSync } from 'node:fs';
import { UsageError } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { lockOrTakeOver } from '../on-demand/take-over.ts';
import { dataFiles, withKeyErrors } from '../setup/data-dir.ts';
import { type CopiedRows, copyStore } from '../store/copy-store.ts';
import { postgresSettings } from '../store/postgres/configured-postgres.ts';

/**
 * Copies the store and the keys of a data directory into the database of `store.postgres`. Rejects with a `Refusal` if there
 * is nothing to copy or the database has data, and with `AUDIT_UNAVAILABLE` if a daemon uses the data directory.
 */
export async function copyToPostgres(config: Config, environment: Environment): Promise<CopiedRows> {
  const settings = postgresSettings(config, environment);
  if (settings === null)
    throw new UsageError(
      'the configuration names no database to copy to; add store: { postgres: { url } } to it',
    );
  const { store, keys } = dataFiles(config);
  if (!existsSync(store) && !existsSync(keys))
    throw new UsageError(`${config.dataDir} has neither store.db nor keys.db to copy`);
  const lock = await lockOrTakeOver(config.dataDir);
  try {
    const copied = await withKeyErrors(() => copyStore({ store, keys }, settings));
    if (copied !== undefined) return copied;
    throw new UsageError(
      `${settings.target.shown} has data already, so nothing was copied; name an empty database, or remove its data: DROP SCHEMA ambit CASCADE`,
    );
  } finally {
    await lock.release();
  }
}
