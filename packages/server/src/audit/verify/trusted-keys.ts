import { type KeyObject, verify } from 'node:crypto';
import type { KeyRotated } from '@ambit/core/internal';
import { keyIdOf, readPublicKey } from '../sign/signed.ts';

/**
 * Whose signatures count. Trust goes from the key that somebody gave to the keys that it hands over to, and from it to
 * those that it took over from, as it has signed for the events that say so.
 */
export interface TrustedKeys {
  /** The key that was given; `null` when none was, and the log's own are believed. */
  given: string | null;
  /** The public key of an id, trusted or not; `undefined` for one that nobody knows. */
  find(keyId: string): KeyObject | undefined;
  isTrusted(keyId: string): boolean;
  /** Takes note of an event that is part of the chain. */
  rotated(event: KeyRotated, sequence: number): void;
  /** Goes back over what was handed over up to a sequence that a trusted key has signed for. */
  lookBack(signedThrough: number): void;
}

/** `keys` are the log's own, by id, in PEM: their ids say whether they are what they are said to be. */
export function trustedKeys(given: KeyObject | undefined, keys: ReadonlyMap<string, string>): TrustedKeys {
  const known = new Map<string, KeyObject>();
  for (const pem of keys.values()) learn(known, pem);
  const trusted = new Set<string>(given === undefined ? known.keys() : [keyIdOf(given)]);
  if (given !== undefined) known.set(keyIdOf(given), given);
  const rotations: { sequence: number; from: string; to: string }[] = [];
  return {
    given: given === undefined ? null : keyIdOf(given),
    find: (keyId) => known.get(keyId),
    isTrusted: (keyId) => trusted.has(keyId),
    rotated({ from, to, publicKey, signature, acceptance }, sequence) {
      if (learn(known, publicKey) !== to) return;
      const after = known.get(to);
      if (after !== undefined && hasSigned(after, from, acceptance)) rotations.push({ sequence, from, to });
      const before = known.get(from);
      if (before === undefined || !trusted.has(from) || signature === null) return;
      if (hasSigned(before, publicKey, signature)) trusted.add(to);
    },
    lookBack(signedThrough) {
      for (const { sequence, from, to } of rotations.toReversed())
        if (sequence <= signedThrough && trusted.has(to)) trusted.add(from);
    },
  };
}

function hasSigned(key: KeyObject, text: string, signature: unknown): boolean {
  // What somebody else wrote may have any shape.
  return (
    typeof signature === 'string' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  );
}

/** What is no key is none. */
function learn(known: Map<string, KeyObject>, pem: string): string | undefined {
  try {
    const key = readPublicKey(pem);
    known.set(keyIdOf(key), key);
    return keyIdOf(key);
  } catch {
    return undefined;
  }
}
