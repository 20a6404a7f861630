import { existsSync } from 'node:fs';
import { UsageError } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import type { KeyRecord } from '../auth/key-record.ts';
import { makeKey, revokeKey } from '../auth/make-key.ts';
import { firstKeyName } from '../auth/reserved-actors.ts';
import type { KeyActions, ListedKey } from '../cli/ports/key-actions.ts';
import { dataFiles, prepareDataDir, recordKeys, withKeyErrors } from '../setup/data-dir.ts';
import { withKeyStore } from '../setup/key-store.ts';

/** The keys of a data directory or a store, for the command line. */
export function keyActions(environment: Environment): KeyActions {
  return {
    async create(config, request) {
      await prepareDataDir(config);
      const { key, record } = await withKeyErrors(() =>
        withKeyStore(config, environment, 'change', (keys) => makeKey(keys, request, Date.now())),
      );
      await recordKeys(config);
      return { ...withoutDigest(record), key };
    },
    async list(config) {
      const keys = await withKeyErrors(() =>
        withKeyStore(config, environment, 'read', (keys) => keys.list()),
      );
      const first: ListedKey = { name: firstKeyName, status: 'good', scopes: ['admin'] };
      return [
        ...(existsSync(dataFiles(config).key) ? [first] : []),
        ...keys.map((record) => ({ ...withoutDigest(record), status: statusOf(record) })),
      ];
    },
    async revoke(config, name) {
      if (name === firstKeyName)
        throw new UsageError(
          `the first key cannot be revoked by name: to replace it, remove ${dataFiles(config).key} and restart the daemon, which creates a new one`,
        );
      const revoked = await withKeyErrors(() =>
        withKeyStore(config, environment, 'change', (keys) => revokeKey(keys, name, Date.now())),
      );
      await recordKeys(config);
      return { name, ...revoked };
    },
  };
}

function withoutDigest({ sha256: _, ...rest }: KeyRecord): Omit<KeyRecord, 'sha256'> {
  return rest;
}

/** Whether a key is accepted, or why not. */
export function statusOf({ revokedAt, expiresAt }: KeyRecord): ListedKey['status'] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'good';
}
