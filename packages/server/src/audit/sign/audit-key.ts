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
import { canonicalJson, type Signed } from '@ambit/core/internal';
import { keyIdOf } from './signed.ts';

/** What signs for a log (Ed25519). The private half stays in here. */
export interface AuditKey {
  keyId: string;
  /** SPKI in PEM. */
  publicKey: string;
  sign<Statement>(statement: Statement): Signed<Statement>;
  /** Base64. */
  signText(text: string): string;
}

const keyBytesMax = 4096;

/** Where the key of a log lies: beside it. */
export function keyFileOf(log: string): string {
  return join(dirname(log), 'audit-key');
}

/**
 * Reads a private key (PKCS8 in PEM) from a file that its owner alone can read; `undefined` when there is none.
 * Throws `AUDIT_UNAVAILABLE` for one that is not used as it is.
 */
export function readAuditKey(file: string): AuditKey | undefined {
  const descriptor = openPlainly(file);
  if (descriptor === undefined) return undefined;
  try {
    const { mode, size } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0)
      throw unusable(
        file,
        `others can read or write it; run "chmod 600 ${file}", and rotate it if they may have`,
      );
    return keyFrom(file, size > keyBytesMax ? '' : readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a key in place of whatever is at `file`, whole or not at all; for its owner alone from the moment that it exists. */
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
      `the key ${file}, which signs the audit log, cannot be made (${(cause as Error).message}); give the user that Ambit runs as the right to write its folder`,
      { cause },
    );
  }
  return auditKey(privateKey);
}

/** Writes the public half of a key beside it, to be taken elsewhere. */
export function publish(file: string, key: AuditKey): AuditKey {
  const descriptor = openSync(publicKeyFileOf(file), publicFlags, 0o600);
  try {
    writeFileSync(descriptor, key.publicKey);
  } finally {
    closeSync(descriptor);
  }
  return key;
}

/** Without following a link: it would overwrite what that leads to. */
const publicFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Where the public half of a key lies. */
export function publicKeyFileOf(keyFile: string): string {
  return `${keyFile}.pub`;
}

/** Without following a link: whoever can place one would choose which file is the key. */
function openPlainly(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(
      file,
      code === 'ELOOP' ? 'it is a symbolic link; put the key itself there' : message,
      cause,
    );
  }
}

function keyFrom(file: string, pem: string): AuditKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw unusable(file, `it is not a private key in PEM; ${otherwise}`, cause);
  }
  if (key.asymmetricKeyType === 'ed25519') return auditKey(key);
  throw unusable(file, `it is a key of type ${key.asymmetricKeyType}, and has to be ed25519; ${otherwise}`);
}

function auditKey(privateKey: KeyObject): AuditKey {
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

const otherwise = 'put a copy of it back, or go on with a new one: ambit audit rotate-key --lost';

function unusable(file: string, why: string, cause?: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the key ${file}, which signs the audit log, cannot be used: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
