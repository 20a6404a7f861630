import { createHash, timingSafeEqual } from 'node:crypto';

/** Which key a request carried; if none that is known, in what way it fell short. */
export type Presented<Known> =
  | { status: 'known'; key: Known }
  | { status: 'missing' | 'malformed' | 'wrong' };

/**
 * Compares the `Authorization` header of a request with the keys there are, of which only digests are at hand. Only
 * `Bearer` is understood (RFC 6750, section 2.1). How long it takes says nothing about any key: digests are compared, each
 * in constant time, and always all of them.
 */
export function authenticate<Known extends { readonly digest: Uint8Array }>(
  header: string | undefined,
  keys: readonly Known[],
): Presented<Known> {
  if (header === undefined || header.trim() === '') return { status: 'missing' };
  const given = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (given === undefined) return { status: 'malformed' };
  const digest = keyDigest(given);
  const [key] = keys.filter((known) => timingSafeEqual(known.digest, digest));
  return key === undefined ? { status: 'wrong' } : { status: 'known', key };
}

/**
 * What is kept of a key: its SHA-256, once and without a salt. A slow hash is for words that people choose and others can
 * guess; these are 256 random bits, of which no guess ever comes near, and each request is spared its cost. The key of
 * the first start may be one that its owner has written; it is in its own file as it is, and never hashed at rest.
 */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
