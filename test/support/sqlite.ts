import { execFileSync } from 'node:child_process';

/** What the sqlite3 shell prints for statements over a file. */
export function sqlite(file: string, sql: string): string {
  return execFileSync('sqlite3', [file], { input: sql, encoding: 'utf8' }).trim();
}
