import { randomUUID } from 'node:crypto';
import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { createPrivately } from '../create-privately.ts';
import { migrate } from './migrations.ts';
import { claimLog, fenceWrites } from './one-writer.ts';

/** Which file it is, whatever it is called. */
export interface FileIdentity {
  dev: number;
  ino: number;
}

/** For how long a commit waits when somebody else has locked the file; nothing but the log waits with it. */
const lockWaitMs = 1000;

/**
 * Opens `audit.db` to write it: mode 600, made when it is not there (its folder has to be), brought forward to the schema
 * of today. WAL with `synchronous=FULL`: what is committed is on the disk. The last to open it is its one writer;
 * earlier ones are refused.
 *
 * Throws `AUDIT_UNAVAILABLE` when it is no audit log or is newer, and what the file system and SQLite throw.
 */
export function openLogFile(file: string, writer: string = randomUUID()): Database {
  createPrivately(file);
  requireWritable(file);
  return openDatabase(file, writer, (database) => {
    migrate(database);
    claimLog(database, writer);
  });
}

/**
 * Opens it once more for the same writer, while this process has it open. Nothing but SQLite may open the file then:
 * closing any descriptor of it would drop the locks of them all (`fcntl`, in POSIX), and with the locks the WAL.
 */
export function reopenLogFile(file: string, opened: FileIdentity, writer: string): Database {
  requireSame(file, opened);
  return openDatabase(file, writer, migrate);
}

/**
 * Where SQLite puts what is committed until it is in the log's file. Without it there, commits go to a file that has no
 * name any more, and are gone with the process that has it open. It lies beside the file itself, not beside a link to it.
 */
export function walOf(file: string): string {
  return `${realpathSync(file)}-wal`;
}

/** Which file lies there now; `undefined` when none does. */
export function identify(file: string): FileIdentity | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { dev: found.dev, ino: found.ino };
}

/** Whether the file at a path is still the one that was opened. */
export function isSame(file: string, opened: FileIdentity | undefined): boolean {
  const found = identify(file);
  return found !== undefined && found.dev === opened?.dev && found.ino === opened.ino;
}

/** Throws `AUDIT_UNAVAILABLE` unless the file at a path is still the one that was opened. */
export function requireSame(file: string, opened: FileIdentity | undefined): void {
  if (isSame(file, opened)) return;
  throw new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} was ${identify(file) === undefined ? 'removed' : 'replaced'} while it was in use: put it back, or restart Ambit to go on with what is there now`,
  );
}

/**
 * SQLite opens a file that it cannot write for reading instead, and leaves files beside it that are as read-only as it
 * is; then making the log writable again would not be enough.
 */
function requireWritable(file: string): void {
  closeSync(openSync(file, 'r+'));
}

/** `begin` is one transaction with all that it does. */
function openDatabase(file: string, writer: string, begin: (database: Database) => void): Database {
  const database = new Sqlite(file, { fileMustExist: true, timeout: lockWaitMs });
  try {
    const mode = database.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal') {
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `${file} lies where SQLite has no write-ahead log (it says ${mode}); put it on a local disk`,
      );
    }
    database.pragma('synchronous = FULL');
    // What is pruned one day is not to be found in free pages: those that a split leaves behind are cleared too.
    database.pragma('secure_delete = ON');
    // On macOS an ordinary fsync leaves the data in the drive's cache; elsewhere this does nothing.
    database.pragma('fullfsync = ON');
    database.transaction(() => begin(database)).immediate();
    fenceWrites(database, writer);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
