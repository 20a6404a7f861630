import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/**
 * Makes an empty file that only its owner can read, or takes from others what they may do with the one that is there.
 * For a file that SQLite opens next: what SQLite makes beside a database has the database's own mode.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // By its path: closing a descriptor of a file drops every lock that this process has on it.
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}
