import { hash, timingSafeEqual } from 'node:crypto';

/** The key of a request, or why none was recognized. */
export type PresentedKey<Known> =
  | { status: 'known'; key: Known }
  | { status: 'missing' | 'malformed' | 'wrong' };

/**
 * Compares the `Authorization` header with the known digests. Only `Bearer` is supported (RFC 6750,
 * section 2.1). The duration reveals nothing about any key: all digests are compared, each in
 * constant time.
 */
export function authenticate<Known extends { readonly digest: Uint8Array }>(
  header: string | undefined,
  keys: readonly Known[],
): PresentedKey<Known> {
  if (header === undefined || header.trim() === '') return { status: 'missing' };
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (token === undefined) return { status: 'malformed' };
  const digest = keyDigest(token);
  const [key] = keys.filter((known) => timingSafeEqual(known.digest, digest));
  return key === undefined ? { status: 'wrong' } : { status: 'known', key };
}

/**
 * The stored form of a key: its SHA-256, once and without a salt. A slow hash protects guessable
 * passwords; these are 256 random bits, which cannot be guessed, and every request would pay for
 * it. The owner may have chosen the first key; it is in its own file in plain text.
 */
export function keyDigest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
