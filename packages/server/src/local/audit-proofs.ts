import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { EventReceipt, Receipt, ReceiptCheck, Signed, Verification } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import { rotateKey } from '../audit/log/rotate-key.ts';
import { keyFileOf, publicKeyFileOf, readAuditKey } from '../audit/sign/audit-key.ts';
import { checkReceipt, compareReceipt } from '../audit/sign/check-receipt.ts';
import { readEventReceipt, readReceipt } from '../audit/sign/read-receipt.ts';
import { readPublicKey } from '../audit/sign/signed.ts';
import { isIncluded } from '../audit/tree/check-inclusion.ts';
import { verifyLog } from '../audit/verify/verify-log.ts';
import { withLog } from '../audit/verify/with-log.ts';
import type { Config } from '../config/config.ts';
import { lockOrTakeOver } from '../on-demand/take-over.ts';
import { dataFiles, prepareDataDir } from '../setup/data-dir.ts';

export interface VerifyRequest {
  /** A copy of a log; absent: the log in the data directory. */
  log?: string;
  /** A file with a public key in PEM; absent: the key beside the log, if any. */
  publicKey?: string;
  /** A file with checkpoints; absent: the configured one, for the configuration's own log. */
  checkpoints?: string;
  onProgress(read: number, of: number): void;
  signal: AbortSignal;
}

/**
 * Verifies a whole log, for `ambit audit verify`. Like the other proofs, it reads the files, whether a daemon runs or not; paths
 * are absolute. Rejects with `USAGE_INVALID` if the key cannot be read, and with `AUDIT_UNAVAILABLE` if the log or the
 * checkpoints cannot.
 */
export async function verifyAudit(
  config: Config,
  { log, publicKey, checkpoints, onProgress, signal }: VerifyRequest,
): Promise<Verification> {
  const file = log ?? dataFiles(config).audit;
  const own = publicKeyFileOf(keyFileOf(file));
  const key = publicKey ?? (existsSync(own) ? own : undefined);
  return verifyLog({
    file,
    publicKey: key === undefined ? undefined : readFrom(key, pemOf),
    checkpoints: checkpoints ?? (log === undefined ? configured(config) : undefined),
    onProgress,
    signal,
  });
}

/**
 * A newly signed receipt of an execution, by its id, or of an event outside calls, by its sequence; `undefined` if there is
 * none. Rejects with `AUDIT_UNAVAILABLE`.
 */
export async function auditReceipt(
  config: Config,
  id: string,
): Promise<Signed<Receipt | EventReceipt> | undefined> {
  const file = dataFiles(config).audit;
  return withLog(file, (database) => {
    const key = readAuditKey(keyFileOf(file));
    if (key !== undefined)
      return /^\d+$/.test(id) ? readEventReceipt(database, key, Number(id)) : readReceipt(database, key, id);
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot sign a receipt: the signing key ${keyFileOf(file)} does not exist`,
    );
  });
}

/**
 * Checks a receipt with a public key; if files are named, also against a log, and who signed its tree head with the certificate
 * of a cluster's authority. Rejects like `verifyAudit`.
 */
export async function checkAuditReceipt({
  text,
  publicKey,
  log,
  authority: file,
}: {
  text: string;
  publicKey: string;
  log?: string | undefined;
  authority?: string | undefined;
}): Promise<ReceiptCheck> {
  const key = readFrom(publicKey, readPublicKey);
  const authority = file === undefined ? undefined : readFrom(file, (pem) => new X509Certificate(pem));
  const check = checkReceipt(text, key);
  const isForged =
    check.valid &&
    check.inclusion !== undefined &&
    !isIncluded(check.receipt, check.inclusion, key, authority);
  if (isForged)
    return {
      valid: false,
      reason: 'forged',
      message:
        'its proof does not show that the tree of the cluster, under a head that the named node has signed, has a checkpoint that covers it',
    };
  if (log === undefined || !check.valid) return check;
  return withLog(log, (database) => compareReceipt(database, check.receipt)) ?? check;
}

/** Replaces the signing key. Ends a daemon on demand first. Rejects with `AUDIT_UNAVAILABLE`, also while `ambit serve` uses the data directory. */
export async function rotateAuditKey(
  config: Config,
  options: { isLost: boolean },
): Promise<{ from: string; to: string }> {
  await prepareDataDir(config);
  const lock = await lockOrTakeOver(config.dataDir);
  try {
    return rotateKey({ file: dataFiles(config).audit, ...options });
  } finally {
    await lock.release();
  }
}

/** Verification for the daemon, which trusts the key that it started with and verifies its log once at a time. */
export function verifyOnceAtATime(config: Config): (signal: AbortSignal) => Promise<Verification> {
  const file = dataFiles(config).audit;
  const publicKey = readAuditKey(keyFileOf(file))?.publicKey;
  let isVerifying = false;
  return async (signal) => {
    if (isVerifying)
      throw new SkillError(
        'OVERLOADED',
        'the log is already being verified; try again when that has finished',
      );
    isVerifying = true;
    try {
      return await verifyLog({ file, publicKey, checkpoints: configured(config), signal });
    } finally {
      isVerifying = false;
    }
  };
}

/** The file with copies of checkpoints, if one is configured and exists. */
function configured({ audit: { checkpoints } }: Pick<Config, 'audit'>): string | undefined {
  if (checkpoints === null || !('file' in checkpoints)) return undefined;
  // Reading a pipe would never end.
  return statSync(checkpoints.file, { throwIfNoEntry: false })?.isFile() ? checkpoints.file : undefined;
}

function pemOf(text: string): string {
  readPublicKey(text);
  return text;
}

function readFrom<T>(file: string, read: (text: string) => T): T {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(`cannot use ${file}: ${(cause as Error).message}`, { cause });
  }
}
