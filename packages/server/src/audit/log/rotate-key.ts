import { renameSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { KeyRotated } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { auditError } from '../file/audit-error.ts';
import { type AuditKey, keyFileOf, makeAuditKey, publish } from '../sign/audit-key.ts';
import { checkpointTable } from '../sign/checkpoint-table.ts';
import { addKey, currentKeyId, finishRotation, hasHadKey, logKey, nextKeyFile } from '../sign/log-key.ts';
import { eventRow } from './event-row.ts';
import { logTable } from './log-table.ts';
import { openLogFile } from './open-log-file.ts';

/** The ids of the old and the new key. */
export interface KeyRotation {
  from: string;
  to: string;
}

/**
 * Rotates the signing key of a log. The old key signs the new one, and the log up to the event of
 * the rotation, from which the new key signs. With `isLost` the old key is not used, and readers
 * must trust the new key independently. No other process may have the log open.
 *
 * Throws `AUDIT_UNAVAILABLE` if the old key is missing without `isLost`, or if the log cannot be
 * used.
 */
export function rotateKey({ file, isLost }: { file: string; isLost: boolean }): KeyRotation {
  let database: Database | undefined;
  try {
    database = openLogFile(file);
    return rotate(database, keyFileOf(file), isLost);
  } catch (error) {
    throw auditError(file, 'written', error);
  } finally {
    database?.close();
  }
}

function rotate(database: Database, keyFile: string, isLost: boolean): KeyRotation {
  // Without any trace of the old key, its id is unknown.
  const from = currentKeyId(database) ?? (isLost && hasHadKey(database) ? 'unknown' : undefined);
  if (from === undefined)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      'this audit log has never been signed, so there is no key to rotate; the first start creates one',
    );
  const old = isLost ? undefined : logKey(database, keyFile);
  if (isLost) requireLost(keyFile, from);
  const next = makeAuditKey(nextKeyFile(keyFile));
  change(database, old, next, from);
  renameSync(nextKeyFile(keyFile), keyFile);
  publish(keyFile, next);
  return { from, to: next.keyId };
}

/** An existing key must sign the next one: an unsigned rotation could be anyone's. */
function requireLost(keyFile: string, current: string): void {
  let key: AuditKey | undefined;
  try {
    key = finishRotation(keyFile, current);
  } catch {
    // An unusable key counts as lost.
    return;
  }
  if (key?.keyId === current)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the key ${keyFile} exists, so it is not lost; leave --lost out, and it signs the new key`,
    );
}

/**
 * The old key's last checkpoint, the event, the new key and its first checkpoint, in one
 * transaction.
 */
function change(database: Database, old: AuditKey | undefined, next: AuditKey, from: string): void {
  const tableOf = (key: AuditKey) => logTable(database, checkpointTable(database, key), () => undefined);
  const event: KeyRotated = {
    kind: 'key.rotated',
    time: Date.now(),
    from,
    to: next.keyId,
    publicKey: next.publicKey,
    signature: old?.signText(next.publicKey) ?? null,
    acceptance: next.signText(from),
  };
  database
    .transaction(() => {
      if (old !== undefined) tableOf(old).checkpoint();
      const table = tableOf(next);
      const [place] = table.append([eventRow(event)]);
      if (place === undefined || place instanceof SkillError) throw place;
      addKey(database, next, place.sequence);
      // Signed by the new key: readers who trust only that one can verify the old key's part from
      // here.
      table.checkpoint();
    })
    .immediate();
}
