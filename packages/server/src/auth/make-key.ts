import { UsageError } from '@ambit/core/outcome';
import { keyDigest } from './authenticate.ts';
import type { KeyRecord, KeyRequest } from './key-record.ts';
import { type AddedKey, type KeyStore, keysMax } from './key-store.ts';
import { newKey } from './new-key.ts';

/**
 * Creates a key and stores its digest with its rights. The key itself is only in the result. Rejects with a
 * `UsageError` if the name was ever used, the expiry is in the past or there are too many keys, and as the store does.
 */
export async function makeKey(
  store: KeyStore,
  request: KeyRequest,
  now: number,
): Promise<{ key: string; record: KeyRecord }> {
  if (request.expiresAt !== undefined && Date.parse(request.expiresAt) <= now)
    throw new UsageError(`${request.expiresAt} is in the past; choose a later time, such as --expires 30d`);
  const key = newKey();
  const record: KeyRecord = {
    ...request,
    sha256: keyDigest(key).toString('hex'),
    createdAt: new Date(now).toISOString(),
  };
  const added = await store.add(record);
  if (added.status === 'added') return { key, record };
  throw new UsageError(whyNotAdded(added, request.name));
}

/**
 * Revokes a key: its next request is refused, and its running calls are canceled. Resolves to the time of the revocation,
 * for a revoked key the earlier one. Rejects with a `UsageError` if the key does not exist, and as the store does.
 */
export async function revokeKey(store: KeyStore, name: string, now: number): Promise<{ revokedAt: string }> {
  const at = new Date(now).toISOString();
  const revoked = await store.revoke(name, at);
  if (revoked === undefined)
    throw new UsageError(`the key ${JSON.stringify(name)} does not exist; "ambit key list" lists the keys`);
  return { revokedAt: revoked.revokedAt ?? at };
}

function whyNotAdded(refused: Exclude<AddedKey, { status: 'added' }>, name: string): string {
  if (refused.status === 'full')
    return `there are ${keysMax} keys, revoked ones included, and no room for another; use fewer keys`;
  return refused.by.revokedAt === undefined
    ? `the key ${name} already exists. Choose another name.`
    : `the name ${name} belongs to a revoked key, whose calls are in the log; choose another name`;
}
