import { renameSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { type AuditKey, makeAuditKey, publish, readAuditKey } from './audit-key.ts';

/**
 * The signing key of a log. Created for a log that has never been signed. Any other log is refused
 * without its key: otherwise a user who removes the key, or every trace of it, would make the next
 * start sign whatever the log contains.
 *
 * Throws `AUDIT_UNAVAILABLE`, with a remedy, if the key is missing, different or unusable.
 */
export function logKey(database: Database, file: string): AuditKey {
  const current = currentKeyId(database);
  if (current === undefined && hasHadKey(database))
    throw refused(file, 'its table of keys is empty', 'is unknown');
  const key = current === undefined ? readAuditKey(file) : finishRotation(file, current);
  if (current === undefined) {
    const first = publish(file, key ?? makeAuditKey(file));
    addKey(database, first, 0);
    return first;
  }
  if (key === undefined) throw refused(file, current, 'is missing');
  if (key.keyId !== current) throw refused(file, current, `is a different key (${key.keyId})`);
  return key;
}

/** The id of the current key; `undefined` for a log that has never been signed. */
export function currentKeyId(database: Database): string | undefined {
  return database
    .prepare<[], string>('SELECT key_id FROM keys ORDER BY since DESC, rowid DESC LIMIT 1')
    .pluck()
    .get();
}

/** Whether the log has events of the daemon: those are only written once there is a key. */
export function hasHadKey(database: Database): boolean {
  return database.prepare('SELECT 1 FROM log WHERE execution_id IS NULL LIMIT 1').get() !== undefined;
}

/** Records that a key signs from the event after `since` on. */
export function addKey(database: Database, { keyId, publicKey }: AuditKey, since: number): void {
  database
    .prepare('INSERT OR REPLACE INTO keys (key_id, public_key, since) VALUES (?, ?, ?)')
    .run(keyId, publicKey, since);
}

/** The file of the next key, until the log records the rotation. */
export function nextKeyFile(file: string): string {
  return `${file}.next`;
}

/**
 * Moves the next key into place if the log has already recorded the rotation; returns the current
 * key.
 */
export function finishRotation(file: string, current: string): AuditKey | undefined {
  const next = readAuditKey(nextKeyFile(file));
  if (next?.keyId !== current) return readAuditKey(file);
  renameSync(nextKeyFile(file), file);
  return publish(file, next);
}

function refused(file: string, current: string, what: string): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit signing key ${file} of this log (${current}) ${what}; restore a copy of it, or, if there is none, create a new key with "ambit audit rotate-key --lost"`,
  );
}
