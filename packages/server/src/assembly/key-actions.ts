import { existsSync } from 'node:fs';
import { firstKeyName, type KeyRecord } from '../auth/key-record.ts';
import { readKeys } from '../auth/keys-file.ts';
import { KeyRefusedError, makeKey, revokeKey } from '../auth/make-key.ts';
import type { KeyActions, ListedKey } from '../cli/actions/key-actions.ts';
import { CliError } from '../cli/cli-error.ts';
import { dataFiles, prepareDataDir, recordKeys, saidOfKeys } from './data-dir.ts';

/** The keys of a data directory, for the command line. */
export const keyActions: KeyActions = {
  async create(config, wish) {
    await prepareDataDir(config);
    const { key, record } = await said(() => makeKey(dataFiles(config).keys, wish, Date.now()));
    await recordKeys(config);
    return { ...shown(record), key };
  },
  async list(config) {
    const files = dataFiles(config);
    const keys = await said(() => readKeys(files.keys));
    const first: ListedKey = { name: firstKeyName, status: 'good', scopes: ['admin'] };
    return [
      ...(existsSync(files.key) ? [first] : []),
      ...keys.map((record) => ({ ...shown(record), status: statusOf(record) })),
    ];
  },
  async revoke(config, name) {
    const { key, keys } = dataFiles(config);
    if (name === firstKeyName)
      throw new CliError(
        'USAGE_INVALID',
        `the key of the first start is in ${key}: remove that file and start the daemon again, which makes another`,
      );
    const revoked = await said(() => revokeKey(keys, name, Date.now()));
    await recordKeys(config);
    return { name, ...revoked };
  },
};

async function said<T>(use: () => T): Promise<Awaited<T>> {
  try {
    return await saidOfKeys(use);
  } catch (error) {
    if (!(error instanceof KeyRefusedError)) throw error;
    throw new CliError('USAGE_INVALID', error.message, { cause: error });
  }
}

function shown({ sha256: _, ...rest }: KeyRecord): Omit<KeyRecord, 'sha256'> {
  return rest;
}

function statusOf({ revokedAt, expiresAt }: KeyRecord): ListedKey['status'] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'good';
}
