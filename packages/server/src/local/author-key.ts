import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { UsageError } from '@ambit/core/outcome';
import { type AuditKey, auditKey, publicKeyFileOf } from '../audit/sign/audit-key.ts';

/** Reads an Ed25519 private key in PEM. Rejects with `USAGE_INVALID`. */
export async function readAuthorKey(file: string): Promise<AuditKey> {
  let key: KeyObject;
  try {
    key = createPrivateKey(await readFile(file));
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be used as a key: ${(cause as Error).message}. To create one, run: ambit skills new-key FILE`,
      { cause },
    );
  }
  if (key.asymmetricKeyType === 'ed25519') return auditKey(key);
  throw new UsageError(
    `${file} is a key of type ${key.asymmetricKeyType} instead of ed25519. To create one, run: ambit skills new-key FILE`,
  );
}

/** Creates an Ed25519 key in a new file that only its owner can read, and its public key beside it. */
export async function createAuthorKey(
  file: string,
): Promise<{ keyId: string; keyFile: string; publicKeyFile: string }> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { keyId, publicKey } = auditKey(privateKey);
  const publicKeyFile = publicKeyFileOf(file);
  try {
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
    await writeFile(publicKeyFile, publicKey, { flag: 'wx', mode: 0o644 });
  } catch (cause) {
    throw new UsageError(`cannot create the key: ${(cause as Error).message}`, { cause });
  }
  return { keyId, keyFile: file, publicKeyFile };
}
