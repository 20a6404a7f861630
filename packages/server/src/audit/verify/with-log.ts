import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../file/audit-error.ts';
import { requireSchema } from '../log/migrations.ts';

/**
 * Opens a log read-only, even if it is being written, and closes it afterwards. Throws
 * `AUDIT_UNAVAILABLE` if there is none, or if it has another version or cannot be read.
 */
export function withLog<T>(file: string, use: (database: Database) => T): T {
  if (!existsSync(file)) throw new SkillError('AUDIT_UNAVAILABLE', `the audit log ${file} does not exist`);
  let database: Database | undefined;
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
    requireSchema(database);
    return use(database);
  } catch (error) {
    throw auditError(file, 'read', error);
  } finally {
    database?.close();
  }
}
