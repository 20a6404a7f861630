import { DatabaseSync } from 'node:sqlite';

/**
 * Runs statements on a database file like another program on the machine, without the daemon's
 * SQLite. Returns the value of a `SELECT`.
 */
export function sqlite(file: string, sql: string): string {
  const database = new DatabaseSync(file);
  try {
    if (sql.startsWith('SELECT ')) return String(Object.values(database.prepare(sql).get() ?? {})[0]);
    database.exec(sql);
    return '';
  } finally {
    database.close();
  }
}
