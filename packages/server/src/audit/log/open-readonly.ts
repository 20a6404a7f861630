import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../file/audit-error.ts';
import { requireSchema } from './migrations.ts';

/** Opens a log to read it. Throws `AUDIT_UNAVAILABLE` for another version, and SQLite's errors. */
export function openReadonly(file: string): Database {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    requireSchema(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The same, with a remedy for every error: throws only `AUDIT_UNAVAILABLE`. */
export function openExisting(file: string): Database {
  if (!existsSync(file))
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the audit log ${file} does not exist yet; the first call creates it`,
    );
  try {
    return openReadonly(file);
  } catch (error) {
    throw auditError(file, 'read', error);
  }
}

/** Throws `AUDIT_UNAVAILABLE` unless there is a log of this version. Reads only its header. */
export function requireLog(file: string): void {
  openExisting(file).close();
}
