import { existsSync } from 'node:fs';
import { UsageError } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import type { KeyRecord, KeyRequest } from '../auth/key-record.ts';
import { makeKey, revokeKey as revokeStoredKey } from '../auth/make-key.ts';
import { firstKeyName } from '../auth/reserved-actors.ts';
import type { Config } from '../config/config.ts';
import { dataFiles, prepareDataDir, recordKeys, withKeyErrors } from '../setup/data-dir.ts';
import { withKeyStore } from '../setup/key-store.ts';

/** A key in a listing, without the key itself or its digest. */
export interface ListedKey extends Omit<KeyRecord, 'sha256' | 'createdAt'> {
  status: 'good' | 'expired' | 'revoked';
  /** Absent for the key of the first start, which has its own file. */
  createdAt?: string;
}

/**
 * Creates a key. Like the other commands for keys, it works on the data directory or the store, whether a daemon runs or not.
 * Rejects with `USAGE_INVALID` if the name was ever used, or with `KEY_UNUSABLE`.
 */
export async function createKey(
  config: Config,
  environment: Environment,
  request: KeyRequest,
): Promise<Omit<ListedKey, 'status'> & { key: string }> {
  await prepareDataDir(config);
  const { key, record } = await withKeyErrors(() =>
    withKeyStore(config, environment, 'change', (keys) => makeKey(keys, request, Date.now())),
  );
  await recordKeys(config);
  return { ...withoutDigest(record), key };
}

/** Every key, including expired and revoked ones, in order of creation. Rejects with `KEY_UNUSABLE`. */
export async function listKeys(config: Config, environment: Environment): Promise<readonly ListedKey[]> {
  const keys = await withKeyErrors(() => withKeyStore(config, environment, 'read', (keys) => keys.list()));
  const first: ListedKey = { name: firstKeyName, status: 'good', scopes: ['admin'] };
  return [
    ...(existsSync(dataFiles(config).key) ? [first] : []),
    ...keys.map((record) => ({ ...withoutDigest(record), status: statusOf(record) })),
  ];
}

/** Rejects with `USAGE_INVALID` if no key has that name, or with `KEY_UNUSABLE`. */
export async function revokeKey(
  config: Config,
  environment: Environment,
  name: string,
): Promise<{ name: string; revokedAt: string }> {
  if (name === firstKeyName)
    throw new UsageError(
      `the first key cannot be revoked by name: to replace it, remove ${dataFiles(config).key} and restart the daemon, which creates a new one`,
    );
  const revoked = await withKeyErrors(() =>
    withKeyStore(config, environment, 'change', (keys) => revokeStoredKey(keys, name, Date.now())),
  );
  await recordKeys(config);
  return { name, ...revoked };
}

function withoutDigest({ sha256: _, ...rest }: KeyRecord): Omit<KeyRecord, 'sha256'> {
  return rest;
}

/** Whether a key is accepted, or why not. */
export function statusOf({ revokedAt, expiresAt }: KeyRecord): ListedKey['status'] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'good';
}
