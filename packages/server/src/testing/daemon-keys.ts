import { join } from 'node:path';
import type { Daemon } from '../../../../test/support/daemon-process.ts';
import type { KeyRequest } from '../auth/key-record.ts';
import type { KeyStore } from '../auth/key-store.ts';
import { makeKey, revokeKey } from '../auth/make-key.ts';
import { keysFile, unusableKeys } from '../store/keys/keys-file.ts';
import { storedKeys } from '../store/keys/stored-keys.ts';

/** Creates a key of a running daemon, as `ambit key create` does, without a process. Returns the daemon with that key. */
export async function withKey(
  daemon: Daemon,
  name: string,
  rights: Omit<KeyRequest, 'name'>,
): Promise<Daemon> {
  const { key } = await makeKey(keysOf(daemon), { name, ...rights }, Date.now());
  const request: Daemon['request'] = (method, path, options = {}) =>
    daemon.request(method, path, {
      ...options,
      headers: { authorization: `Bearer ${key}`, ...options.headers },
    });
  return {
    ...daemon,
    key,
    request,
    execute: (skill, body) => request('POST', `/skills/${skill}/execute`, { body }),
  };
}

/** Revokes a key of a running daemon, as `ambit key revoke` does, without a process. */
export async function revoke(daemon: Daemon, name: string): Promise<void> {
  await revokeKey(keysOf(daemon), name, Date.now());
}

function keysOf({ dataDir }: Daemon): KeyStore {
  const file = join(dataDir, 'keys.db');
  return storedKeys(keysFile(file), unusableKeys(file));
}
