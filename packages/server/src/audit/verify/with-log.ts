import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../audit-unavailable.ts';
import { schemaVersion, schemaVersionOf } from '../log/migrations.ts';

/**
 * Opens a log to read it, whoever writes it meanwhile, and closes it afterwards. Throws `AUDIT_UNAVAILABLE` when there
 * is none, or it is of another version or cannot be read.
 */
export function withLog<T>(file: string, use: (database: Database) => T): T {
  if (!existsSync(file)) throw new SkillError('AUDIT_UNAVAILABLE', `there is no audit log ${file}`);
  let database: Database | undefined;
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
    if (schemaVersionOf(database) < schemaVersion) throw old(file);
    return use(database);
  } catch (error) {
    throw auditError(file, 'read', error);
  } finally {
    database?.close();
  }
}

function old(file: string): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `${file} is not an audit log of this version yet; start the daemon once, and it is brought forward`,
  );
}
