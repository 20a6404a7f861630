import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Signed } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';

/** SHA-256 of a public key's DER (SPKI), hex. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Parses an Ed25519 public key in PEM. Throws an `Error` that describes any other text. */
export function readPublicKey(pem: string): KeyObject {
  // Node would accept a private key too, which would then be stored as a public one.
  if (pem.includes('PRIVATE KEY'))
    throw new Error('it is a private key; use the public key, whose file ends in .pub');
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new Error('it is not a public key in PEM', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`it is a key of type ${key.asymmetricKeyType} instead of ed25519`);
  return key;
}

/** Whether a key has signed exactly this statement. */
export function isSignedBy(key: KeyObject, { statement, keyId, signature }: Signed<unknown>): boolean {
  const text = signedText(statement);
  return (
    text !== undefined &&
    keyId === keyIdOf(key) &&
    verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
  );
}

/** A value without a canonical text cannot have been signed. */
function signedText(statement: unknown): string | undefined {
  try {
    return canonicalJson(statement);
  } catch {
    return undefined;
  }
}
