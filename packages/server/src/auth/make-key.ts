import { keyDigest } from './authenticate.ts';
import type { KeyRecord, KeyRequest } from './key-record.ts';
import { changeKeys } from './keys-file.ts';
import { newKey } from './new-key.ts';

/** A key that was asked for and cannot be made, or revoked; the message says why and what to do. */
export class KeyRefusedError extends Error {
  override readonly name = 'KeyRefusedError';
}

/**
 * Makes a key, and keeps its digest with what it may do. The key itself is in the answer, and nowhere else. Throws a
 * `KeyRefusedError` when the name was ever given or the key would be expired, and a `KeyFileError`.
 */
export function makeKey(file: string, wish: KeyRequest, now: number): { key: string; record: KeyRecord } {
  if (wish.expiresAt !== undefined && Date.parse(wish.expiresAt) <= now)
    throw new KeyRefusedError(`${wish.expiresAt} is over: name a time to come, as in --expires 30d`);
  const key = newKey();
  const record: KeyRecord = {
    ...wish,
    sha256: keyDigest(key).toString('hex'),
    createdAt: new Date(now).toISOString(),
  };
  changeKeys(file, (keys) => {
    const same = keys.find(({ name }) => name === wish.name);
    if (same === undefined) return [...keys, record];
    throw new KeyRefusedError(
      same.revokedAt === undefined
        ? `there is a key ${wish.name} already; take another name, or revoke it with "ambit key revoke ${wish.name}"`
        : `there was a key ${wish.name}, which is revoked, and the log has calls of it; take another name`,
    );
  });
  return { key, record };
}

/**
 * Revokes a key: its next request is refused, and what it has begun is canceled. Gives back when it was revoked, which for one that was before is then.
 * Throws a `KeyRefusedError` when there is no such key, and a `KeyFileError`.
 */
export function revokeKey(file: string, name: string, now: number): { revokedAt: string } {
  let revokedAt = new Date(now).toISOString();
  changeKeys(file, (keys) => {
    const key = keys.find((each) => each.name === name);
    if (key === undefined)
      throw new KeyRefusedError(
        `there is no key ${JSON.stringify(name)}; ambit key list shows those there are`,
      );
    revokedAt = key.revokedAt ?? revokedAt;
    return keys.map((each) => (each === key ? { ...each, revokedAt } : each));
  });
  return { revokedAt };
}
