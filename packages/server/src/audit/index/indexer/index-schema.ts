import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { createPrivately } from '../../file/create-privately.ts';

/**
 * A file of another version is deleted and rebuilt: increase it with every change of the contents.
 */
const version = 1;

/** The index of a log is beside it: `audit-index.db`. */
export function indexFileOf(file: string): string {
  return join(dirname(file), `${basename(file, '.db')}-index.db`);
}

/**
 * Opens the index (mode 600), or creates an empty one if there is none or it has another version.
 * Throws if the file is damaged, or cannot be written: see `isUnwritable`.
 */
export function openIndex(file: string): Database {
  createPrivately(file);
  closeSync(openSync(file, 'r+'));
  const database = new Sqlite(file, { timeout: 5000 });
  try {
    const found = database.pragma('user_version', { simple: true });
    if (found !== version && found !== 0) {
      database.close();
      removeIndex(file);
      return openIndex(file);
    }
    database.pragma('journal_mode = WAL');
    // What a machine crash loses is read from the log again.
    database.pragma('synchronous = NORMAL');
    database.pragma('wal_autocheckpoint = 8000');
    return prepared(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an index read-only, in a transaction. `undefined` if there is none, or one of another
 * version, which will be rebuilt. Throws SQLite's error for a damaged one.
 */
export function lookAtIndex(file: string): Database | undefined {
  if (!existsSync(file)) return undefined;
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    database.exec('BEGIN');
    if (database.pragma('user_version', { simple: true }) === version) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

/**
 * An empty index in an unnamed file that is deleted when it is closed: for a log in a read-only
 * location.
 */
export function temporaryIndex(): Database {
  return prepared(new Sqlite(''));
}

/** Whether an error means that writing is not possible, for lack of permission or space. */
export function isUnwritable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|SQLITE_(FULL|IOERR|READONLY|CANTOPEN).*)$/.test(String(code));
}

/** Deletes an index and SQLite's files beside it. Processes that have it open are not affected. */
export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

function prepared(database: Database): Database {
  database.pragma('cache_size = -65536');
  // Pruned data must not remain in free pages.
  database.pragma('secure_delete = ON');
  database.transaction(() => create(database)).immediate();
  return database;
}

function create(database: Database): void {
  // Another process may have done it already.
  if (database.pragma('user_version', { simple: true }) === version) return;
  database.exec(schema);
  database.pragma(`user_version = ${version}`);
}

const schema = `
  -- log_id, through (the last event that is in here) and its hash.
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  -- What records have in common, each kind once: there are few, however many records there are. A record is found by any
  -- mixture of these by merging the lists of the kinds that fit.
  CREATE TABLE shapes (
    id       INTEGER PRIMARY KEY,
    fields   TEXT    NOT NULL UNIQUE,            -- JSON: [skill, is unknown, actor, tier, via, outcome, [denied]]
    records  INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE records (
    sequence    INTEGER PRIMARY KEY,             -- of the event that opened it
    shape       INTEGER NOT NULL,
    time        INTEGER NOT NULL,                -- of its opening, in milliseconds since the epoch
    ended       INTEGER,                         -- the sequence of the event that closed it
    duration_ms REAL,
    unknown     TEXT,                            -- what was asked for where there is no such skill
    parent_id   TEXT
  ) STRICT;
  CREATE INDEX records_by_shape ON records (shape);
  CREATE INDEX records_by_time ON records (time);
  CREATE INDEX records_by_unknown ON records (unknown) WHERE unknown IS NOT NULL;
  CREATE INDEX records_by_parent ON records (parent_id) WHERE parent_id IS NOT NULL;

  -- Sums of the records that were opened in a minute and in an hour: of each skill, and of all under ''.
  CREATE TABLE roll_ups (
    span      INTEGER NOT NULL,                  -- 60000 or 3600000
    skill     TEXT    NOT NULL,
    start     INTEGER NOT NULL,                  -- milliseconds since the epoch
    calls     INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    denied    INTEGER NOT NULL,
    errors    INTEGER NOT NULL,
    first     INTEGER NOT NULL,                  -- the lowest sequence of them, and the highest
    last      INTEGER NOT NULL,
    durations BLOB    NOT NULL                   -- a sketch
  ) STRICT;
  CREATE UNIQUE INDEX roll_ups_of_skill ON roll_ups (span, skill, start);
  CREATE INDEX roll_ups_of_all ON roll_ups (span, start, first, last) WHERE skill = '';
  CREATE INDEX roll_ups_in_time ON roll_ups (span, start);
`;
