import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a request carried the key; if not, in what way. */
export type Authentication = 'accepted' | 'missing' | 'malformed' | 'wrong';

/**
 * Compares the `Authorization` header of a request with the key. Only `Bearer` is understood (RFC 6750, section 2.1).
 * How long it takes says nothing about the key: what is compared are digests.
 */
export function authenticate(header: string | undefined, key: string): Authentication {
  if (header === undefined || header.trim() === '') return 'missing';
  const given = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (given === undefined) return 'malformed';
  return timingSafeEqual(sha256(given), sha256(key)) ? 'accepted' : 'wrong';
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
