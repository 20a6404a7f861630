import { SkillError } from '@ambit/core';
import { type Database, SqliteError } from 'better-sqlite3';

/** Makes a writer the only one of a log. The previous writer is refused from then on. */
export function claimLog(database: Database, writer: string): void {
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('writer', ?)").run(writer);
}

/**
 * Makes SQLite refuse every write of this connection once the log has another writer. The check is
 * part of the writing transaction, which a refusal rolls back. The triggers are temporary: they
 * belong to the connection and are not in the file.
 */
export function fenceWrites(database: Database, writer: string): void {
  // A trigger takes no parameters; a writer is a generated UUID.
  if (!/^[0-9a-f-]{36}$/.test(writer)) throw new Error('the name of a writer must be a UUID');
  for (const table of tables)
    for (const change of ['INSERT', 'UPDATE', 'DELETE'])
      database.exec(`
        CREATE TEMP TRIGGER fence_${change}_${table} BEFORE ${change} ON main.${table}
          WHEN (SELECT value FROM main.meta WHERE key = 'writer') IS NOT '${writer}'
          BEGIN SELECT RAISE(ROLLBACK, '${fenced}'); END`);
}

/** Whether SQLite refused a write because the log has another writer. */
export function isFenced(error: unknown): boolean {
  return error instanceof SqliteError && error.message === fenced;
}

/** The error of a former writer. */
export function takenOver(file: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `another Ambit has taken over the audit log ${file}, so this one writes nothing more; stop one of the two and restart the other`,
    { cause },
  );
}

const fenced = 'this audit log has another writer';

const tables = ['log', 'payloads', 'open_records', 'meta', 'checkpoints', 'keys', 'last_digests'] as const;
