import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson, type Signed } from '@ambit/core/internal';
import { z } from 'zod';

/** A statement with its signature, of whatever kind, as it comes from a file. Unknown members are refused. */
export function signedStatement<Statement extends z.ZodType>(statement: Statement) {
  return z.strictObject({
    statement,
    keyId: z.string().regex(/^[0-9a-f]{64}$/),
    signature: z.base64(),
  });
}

/** SHA-256 of a public key's DER (SPKI), hex. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** An Ed25519 public key from its PEM. Throws an `Error` that says what the text is instead. */
export function readPublicKey(pem: string): KeyObject {
  // A private key would be read too, and then lie where public keys lie.
  if (pem.includes('PRIVATE KEY')) throw new Error('it is a private key; the public one is in audit-key.pub');
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new Error('it is not a public key in PEM', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
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

/** What has no canonical text was never signed. */
function signedText(statement: unknown): string | undefined {
  try {
    return canonicalJson(statement);
  } catch {
    return undefined;
  }
}
