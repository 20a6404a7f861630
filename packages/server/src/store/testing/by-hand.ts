import Sqlite from 'better-sqlite3';

/** Changes a database beside the program that uses it. */
export function byHand(file: string, statement: string): void {
  const database = new Sqlite(file);
  database.exec(statement);
  database.close();
}
