import { renameSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { type AuditKey, makeAuditKey, publish, readAuditKey } from './audit-key.ts';

/**
 * The key that a log goes on with; made for a log that nothing has signed yet, where there is none. A log is not
 * continued without its key: whoever removed it, or every trace of it, would have the next start sign for whatever stands
 * there.
 *
 * Throws `AUDIT_UNAVAILABLE`, with what to do, when the key is gone, is another one or cannot be used.
 */
export function logKey(database: Database, file: string): AuditKey {
  const current = currentKeyId(database);
  if (current === undefined && hasHadKey(database))
    throw refused(file, 'its table of keys is empty', 'is not known');
  const key = current === undefined ? readAuditKey(file) : finishRotation(file, current);
  if (current === undefined) {
    const first = publish(file, key ?? makeAuditKey(file));
    addKey(database, first, 0);
    return first;
  }
  if (key === undefined) throw refused(file, current, 'is gone');
  if (key.keyId !== current) throw refused(file, current, `is another one (${key.keyId})`);
  return key;
}

/** The id of the key that signs; `undefined` for a log that nothing has signed yet. */
export function currentKeyId(database: Database): string | undefined {
  return database
    .prepare<[], string>('SELECT key_id FROM keys ORDER BY since DESC, rowid DESC LIMIT 1')
    .pluck()
    .get();
}

/** Whether the log has events of the daemon's own: none was written before there was a key. */
export function hasHadKey(database: Database): boolean {
  return database.prepare('SELECT 1 FROM log WHERE execution_id IS NULL LIMIT 1').get() !== undefined;
}

/** Notes that a key signs from the event after `since` on. */
export function addKey(database: Database, { keyId, publicKey }: AuditKey, since: number): void {
  database
    .prepare('INSERT OR REPLACE INTO keys (key_id, public_key, since) VALUES (?, ?, ?)')
    .run(keyId, publicKey, since);
}

/** Where the next key waits until the log says that it is the one. */
export function nextKeyFile(file: string): string {
  return `${file}.next`;
}

/** Puts the next key in its place when the log has changed to it already; gives the one that is there. */
export function finishRotation(file: string, current: string): AuditKey | undefined {
  const next = readAuditKey(nextKeyFile(file));
  if (next?.keyId !== current) return readAuditKey(file);
  renameSync(nextKeyFile(file), file);
  return publish(file, next);
}

function refused(file: string, current: string, what: string): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the key ${file}, which signs this audit log (${current}), ${what}: put a copy of it back, or, if there is none, say so and go on with a new one: ambit audit rotate-key --lost`,
  );
}
