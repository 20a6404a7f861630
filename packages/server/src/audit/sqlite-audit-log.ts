import { closeSync, openSync, statSync } from 'node:fs';
import { type AuditLog, SkillError } from '@ambit/core';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from './audit-unavailable.ts';
import { createPrivately } from './create-privately.ts';
import { eventWriter } from './event-writer.ts';
import { migrate } from './migrations.ts';
import { recordReader } from './record-reader.ts';

/** Which file it is, whatever it is called. */
interface FileIdentity {
  dev: number;
  ino: number;
}

/**
 * The audit log in one SQLite file (mode 600, made when it is not there; its folder has to be). An event is on the
 * disk when `append` resolves: WAL with `synchronous=FULL`. There is one writer to a file; `lockDataDir` sees to that.
 *
 * After a failure nothing has to be done here: the next event is tried like any other. While the log is in use, the
 * file at its path has to stay the one that was opened: events that went to a file that was moved away or removed would
 * be lost, so they are refused.
 *
 * Throws `AUDIT_UNAVAILABLE` when it cannot be opened, is no audit log, or was written by a newer version.
 */
export function sqliteAuditLog({ file }: { file: string }): AuditLog {
  const database = guarded(file, 'written', () => {
    createPrivately(file);
    requireWritable(file);
    return open(file);
  });
  const opened = identify(file);
  const { append, interruptOpen } = eventWriter(database);
  const query = recordReader(database);

  const within = <T>(doing: 'written' | 'read', use: () => T): T =>
    guarded(file, doing, () => {
      if (!database.open)
        throw new SkillError('AUDIT_UNAVAILABLE', `the audit log ${file} is closed: Ambit is stopping`);
      requireSame(file, opened);
      return use();
    });

  return {
    async append(event) {
      return within('written', () => append(event));
    },
    async interruptOpen(time) {
      return within('written', () => interruptOpen(time));
    },
    async query(asked) {
      return within('read', () => query(asked));
    },
    async close() {
      database.close();
    },
  };
}

/**
 * SQLite opens a file that it cannot write for reading instead, and leaves files beside it that are as read-only as it
 * is; then making the log writable again would not be enough.
 */
function requireWritable(file: string): void {
  closeSync(openSync(file, 'r+'));
}

function open(file: string): Database {
  // The wait for a lock holds up everything else in this thread; a reader never makes it wait.
  const database = new Sqlite(file, { fileMustExist: true, timeout: 200 });
  try {
    const mode = database.pragma('journal_mode = WAL', { simple: true });
    if (mode !== 'wal') {
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `${file} lies where SQLite has no write-ahead log (it says ${mode}); put it on a local disk`,
      );
    }
    database.pragma('synchronous = FULL');
    // On macOS an ordinary fsync leaves the data in the drive's cache; elsewhere this does nothing.
    database.pragma('fullfsync = ON');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function identify(file: string): FileIdentity | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { dev: found.dev, ino: found.ino };
}

function requireSame(file: string, opened: FileIdentity | undefined): void {
  const found = identify(file);
  if (found !== undefined && found.dev === opened?.dev && found.ino === opened.ino) return;
  throw new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} was ${found === undefined ? 'removed' : 'replaced'} while it was in use: put it back, or restart Ambit to go on with what is there now`,
  );
}

function guarded<T>(file: string, doing: 'written' | 'read', use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw auditError(file, doing, error);
  }
}
