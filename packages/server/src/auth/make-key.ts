import { keyDigest } from './authenticate.ts';
import type { KeyRecord, KeyRequest } from './key-record.ts';
import { changeKeys } from './keys-file.ts';
import { newKey } from './new-key.ts';

/** A key that cannot be created or revoked; the message says why and what to do. */
export class KeyRefusedError extends Error {
  override readonly name = 'KeyRefusedError';
}

/**
 * Creates a key and stores its digest with its rights. The key itself is only in the return value.
 * Throws a `KeyRefusedError` if the name was ever used or the expiry is in the past, and a
 * `KeyFileError`.
 */
export function makeKey(file: string, request: KeyRequest, now: number): { key: string; record: KeyRecord } {
  if (request.expiresAt !== undefined && Date.parse(request.expiresAt) <= now)
    throw new KeyRefusedError(
      `${request.expiresAt} is in the past; choose a later time, such as --expires 30d`,
    );
  const key = newKey();
  const record: KeyRecord = {
    ...request,
    sha256: keyDigest(key).toString('hex'),
    createdAt: new Date(now).toISOString(),
  };
  changeKeys(file, (keys) => {
    const same = keys.find(({ name }) => name === request.name);
    if (same === undefined) return [...keys, record];
    throw new KeyRefusedError(
      same.revokedAt === undefined
        ? `the key ${request.name} already exists. Choose another name.`
        : `the name ${request.name} belongs to a revoked key, whose calls are in the log; choose another name`,
    );
  });
  return { key, record };
}

/**
 * Revokes a key: its next request is refused, and its running calls are canceled. Returns the time
 * of the revocation, for a revoked key the earlier one. Throws a `KeyRefusedError` if the key does
 * not exist, and a `KeyFileError`.
 */
export function revokeKey(file: string, name: string, now: number): { revokedAt: string } {
  let revokedAt = new Date(now).toISOString();
  changeKeys(file, (keys) => {
    const key = keys.find((each) => each.name === name);
    if (key === undefined)
      throw new KeyRefusedError(
        `the key ${JSON.stringify(name)} does not exist; "ambit key list" lists the keys`,
      );
    revokedAt = key.revokedAt ?? revokedAt;
    return keys.map((each) => (each === key ? { ...each, revokedAt } : each));
  });
  return { revokedAt };
}
