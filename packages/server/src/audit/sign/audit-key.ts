import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Signed } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import { keyIdOf } from './signed.ts';

/** The audit signing key (Ed25519). Its private half is not exposed. */
export interface AuditKey {
  keyId: string;
  /** SPKI in PEM. */
  publicKey: string;
  sign<Statement>(statement: Statement): Signed<Statement>;
  /** Base64. */
  signText(text: string): string;
}

const keyBytesMax = 4096;

/** The signing key of a log is beside it. */
export function keyFileOf(log: string): string {
  return join(dirname(log), 'audit-key');
}

/**
 * Reads a private key (PKCS8 in PEM) from a file that only its owner can access; `undefined` if
 * there is none. Throws `AUDIT_UNAVAILABLE` if it cannot be used.
 */
export function readAuditKey(file: string): AuditKey | undefined {
  const descriptor = openPlainly(file);
  if (descriptor === undefined) return undefined;
  try {
    const { mode, size } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0)
      throw unusable(
        file,
        `other users can access it; run "chmod 600 ${file}", and rotate the key if they may have read it`,
      );
    return keyFrom(file, size > keyBytesMax ? '' : readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a key that atomically replaces any file at `file`, with mode 600 from the start. */
export function makeAuditKey(file: string): AuditKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${file}.draft`;
  try {
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(descriptor, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (cause) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot create the audit signing key ${file} (${(cause as Error).message}); give Ambit's user write access to its folder`,
      { cause },
    );
  }
  return auditKey(privateKey);
}

/** Writes the public key beside it, to be copied elsewhere. */
export function publish(file: string, key: AuditKey): AuditKey {
  const descriptor = openSync(publicKeyFileOf(file), publicFlags, 0o600);
  try {
    writeFileSync(descriptor, key.publicKey);
  } finally {
    closeSync(descriptor);
  }
  return key;
}

/** Does not follow a link, which would overwrite its target. */
const publicFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** The file of the public key. */
export function publicKeyFileOf(keyFile: string): string {
  return `${keyFile}.pub`;
}

/** Does not follow a link, which could make another file the key. */
function openPlainly(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(
      file,
      code === 'ELOOP' ? 'it is a symbolic link; replace it with the key itself' : message,
      cause,
    );
  }
}

function keyFrom(file: string, pem: string): AuditKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw unusable(file, `it is not a private key in PEM; ${remedy}`, cause);
  }
  if (key.asymmetricKeyType === 'ed25519') return auditKey(key);
  throw unusable(file, `it is a key of type ${key.asymmetricKeyType} instead of ed25519; ${remedy}`);
}

/** A key that signs with this private key. */
export function auditKey(privateKey: KeyObject): AuditKey {
  const publicKey = createPublicKey(privateKey);
  const keyId = keyIdOf(publicKey);
  const signText = (text: string): string => sign(null, Buffer.from(text), privateKey).toString('base64');
  return {
    keyId,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (statement) => ({ statement, keyId, signature: signText(canonicalJson(statement)) }),
    signText,
  };
}

const remedy = 'restore a copy of it, or create a new key with "ambit audit rotate-key --lost"';

function unusable(file: string, why: string, cause?: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `cannot use the audit signing key ${file}: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
