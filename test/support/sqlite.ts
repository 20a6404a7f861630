import { DatabaseSync } from 'node:sqlite';

/**
 * Runs statements over a file as any other program of the machine could: with a SQLite that is not the daemon's.
 * Returns the value that a `SELECT` yields.
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
