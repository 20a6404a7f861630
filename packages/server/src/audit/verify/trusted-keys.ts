import { type KeyObject, verify } from 'node:crypto';
import type { KeyRotated } from '@ambit/core/audit';
import { keyIdOf, readPublicKey } from '../sign/signed.ts';

/**
 * The keys whose signatures count. Trust extends from the given key to the keys that it hands over
 * to, and back to its predecessors, as far as it has signed the events of those rotations.
 */
export interface TrustedKeys {
  /** The given key; `null` if none was given, and the log's own keys are trusted. */
  given: string | null;
  /** The public key of an id, trusted or not; `undefined` if unknown. */
  find(keyId: string): KeyObject | undefined;
  isTrusted(keyId: string): boolean;
  /** Notes a rotation in the chain. */
  rotated(event: KeyRotated, sequence: number): void;
  /**
   * Trusts the predecessors of trusted keys, for rotations up to a sequence that a trusted key has
   * signed.
   */
  lookBack(signedThrough: number): void;
}

/** `keys` are the log's own, by id, in PEM. Their ids are recomputed. */
export function trustedKeys(given: KeyObject | undefined, keys: ReadonlyMap<string, string>): TrustedKeys {
  const known = new Map<string, KeyObject>();
  for (const pem of keys.values()) addKey(known, pem);
  const trusted = new Set<string>(given === undefined ? known.keys() : [keyIdOf(given)]);
  if (given !== undefined) known.set(keyIdOf(given), given);
  const rotations: { sequence: number; from: string; to: string }[] = [];
  return {
    given: given === undefined ? null : keyIdOf(given),
    find: (keyId) => known.get(keyId),
    isTrusted: (keyId) => trusted.has(keyId),
    rotated({ from, to, publicKey, signature, acceptance }, sequence) {
      if (addKey(known, publicKey) !== to) return;
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
  // Untrusted data may have any type.
  return (
    typeof signature === 'string' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  );
}

/** A text that is not a key is ignored. */
function addKey(known: Map<string, KeyObject>, pem: string): string | undefined {
  try {
    const key = readPublicKey(pem);
    known.set(keyIdOf(key), key);
    return keyIdOf(key);
  } catch {
    return undefined;
  }
}
