import { existsSync } from 'node:fs';
import { type AuditLog, SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from './audit-unavailable.ts';
import { schemaVersion, schemaVersionOf } from './migrations.ts';
import { recordReader } from './record-reader.ts';

/** The half of an audit log that changes nothing. */
export type AuditReader = Pick<AuditLog, 'query' | 'close'>;

/**
 * Opens an audit log only to read it, which works while a daemon writes to it and never makes that one wait.
 * Throws `AUDIT_UNAVAILABLE` when there is none, or it is of another version.
 */
export function readAuditLog({ file }: { file: string }): AuditReader {
  if (!existsSync(file))
    throw new SkillError('AUDIT_UNAVAILABLE', `there is no audit log ${file} yet; the first call begins it`);
  const database = guarded(file, () => open(file));
  const read = recordReader(database);
  return {
    async query(query) {
      return guarded(file, () => read(query));
    },
    async close() {
      database.close();
    },
  };
}

function open(file: string): Database {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    requireCurrent(file, schemaVersionOf(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function requireCurrent(file: string, version: number): void {
  if (version === schemaVersion) return;
  throw new SkillError(
    'AUDIT_UNAVAILABLE',
    `${file} is not an audit log of this version yet; start the daemon once, and it is brought forward`,
  );
}

function guarded<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw auditError(file, 'read', error);
  }
}
