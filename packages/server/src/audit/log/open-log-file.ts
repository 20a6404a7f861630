import { randomUUID } from 'node:crypto';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { createPrivately } from '../../sqlite/create-privately.ts';
import { type FileIdentity, identify, isSame } from '../../sqlite/file-identity.ts';
import { migrate, schemaVersionOf } from './migrations.ts';
import { claimLog, fenceWrites } from './one-writer.ts';

/** The time that a commit waits for another process's lock on the file; only the log waits. */
const lockWaitMs = 1000;

/**
 * Opens `audit.db` to write it: mode 600, created if it does not exist (its folder must), upgraded
 * to the current schema. WAL with `synchronous=FULL`: what is committed is on disk. The process
 * that opened it last is its one writer; earlier ones are refused.
 *
 * Throws `AUDIT_UNAVAILABLE` for another database or a newer one, and errors of the file system and
 * SQLite.
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
 * Reopens it for the same writer, while this process has it open. Nothing but SQLite may open the
 * file then: closing any descriptor of it would drop all its locks (POSIX `fcntl`), and with them
 * the WAL.
 */
export function reopenLogFile(file: string, opened: FileIdentity, writer: string): Database {
  requireSame(file, opened);
  return openDatabase(file, writer, migrate);
}

/**
 * The write-ahead log. If it were removed, commits would go to a file without a name and be lost
 * with the process. It is beside the file itself, not beside a link to it.
 */
export function walOf(file: string): string {
  return `${realpathSync(file)}-wal`;
}

/** Throws `AUDIT_UNAVAILABLE` unless the file at a path is still the one that was opened. */
export function requireSame(file: string, opened: FileIdentity | undefined): void {
  if (isSame(file, opened)) return;
  throw new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} was ${identify(file) === undefined ? 'removed' : 'replaced'} while it was in use; put it back, or restart Ambit to use the current one`,
  );
}

/**
 * SQLite opens a file that it cannot write read-only, and creates read-only files beside it; then
 * making the log writable again would not be enough.
 */
function requireWritable(file: string): void {
  closeSync(openSync(file, 'r+'));
}

/** `begin` runs in one transaction. */
function openDatabase(file: string, writer: string, begin: (database: Database) => void): Database {
  const database = new Sqlite(file, { fileMustExist: true, timeout: lockWaitMs });
  try {
    // Before the first change: another program's database stays unchanged.
    schemaVersionOf(database);
    const mode = database.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal') {
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the file system of ${file} does not support SQLite's write-ahead log (its journal mode is ${mode}); move the data directory to a local disk`,
      );
    }
    database.pragma('synchronous = FULL');
    // Pruned data must not remain in free pages, including pages freed by a split.
    database.pragma('secure_delete = ON');
    // On macOS an ordinary fsync leaves the data in the drive's cache; elsewhere this has no
    // effect.
    database.pragma('fullfsync = ON');
    database.transaction(() => begin(database)).immediate();
    fenceWrites(database, writer);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
