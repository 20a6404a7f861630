import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite, { type Database, SqliteError } from 'better-sqlite3';
import { createPrivately } from '../../../sqlite/create-privately.ts';
import { blockSequences } from '../log-index.ts';

/** Increase it whenever the index has different contents. A file of another version is deleted and rebuilt. */
const version = 2;

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
    if (![0, version].includes(database.pragma('user_version', { simple: true }) as number)) {
      database.close();
      removeIndex(file);
      return openIndex(file);
    }
    database.pragma('journal_mode = WAL');
    // A machine crash may lose the last changes, which are read from the log again.
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

/** An empty index in an unnamed file that is deleted when it is closed: for a log that is read-only. */
export function temporaryIndex(): Database {
  return prepared(new Sqlite(''));
}

/** Deletes an index and SQLite's files beside it. Processes that have it open are not affected. */
export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

/** Whether an error means that writing is not possible, for lack of permission or space. */
export function isUnwritable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|SQLITE_(FULL|IOERR|READONLY|CANTOPEN).*)$/.test(String(code));
}

/** Whether an error means that a database file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

function prepared(database: Database): Database {
  database.pragma('cache_size = -65536');
  // Pruned data must not remain in free pages.
  database.pragma('secure_delete = ON');
  database
    .transaction(() => {
      // Another process may have done it already.
      if (database.pragma('user_version', { simple: true }) === version) return;
      database.exec(schema);
      database.pragma(`user_version = ${version}`);
    })
    .immediate();
  return database;
}

const schema = `
  -- log_id, through (the last event in the index) and its hash.
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  -- The combinations of values that calls are filtered by. There are few, so one index on calls serves every filter.
  CREATE TABLE kinds (
    id         INTEGER PRIMARY KEY,
    skill      TEXT,                       -- NULL if the request named none, or an unknown one: see calls.unknown
    is_unknown INTEGER NOT NULL,
    actor      TEXT,
    via        TEXT    NOT NULL,
    tier       TEXT,
    outcome    TEXT    NOT NULL,
    denied     TEXT    NOT NULL            -- JSON: the denied capabilities, each once, sorted
  ) STRICT;
  CREATE INDEX kinds_by_values ON kinds (skill, actor, outcome, via, tier, denied, is_unknown);

  CREATE TABLE calls (
    sequence INTEGER PRIMARY KEY,          -- of the event that began the record
    kind     INTEGER NOT NULL,
    started  INTEGER NOT NULL,             -- milliseconds since the epoch
    ended    INTEGER,                      -- the sequence of the event that ended the record
    duration REAL,                         -- milliseconds; NULL if it did not run
    unknown  TEXT,                         -- the name of an unknown skill: callers can invent any number
    parent   TEXT
  ) STRICT;
  CREATE INDEX calls_by_kind ON calls (kind, sequence, started);
  CREATE INDEX calls_by_unknown ON calls (unknown) WHERE unknown IS NOT NULL;
  CREATE INDEX calls_by_parent ON calls (parent) WHERE parent IS NOT NULL;
  CREATE INDEX open_calls ON calls (ended) WHERE ended IS NULL;

  -- The earliest and latest start of the calls in ${blockSequences} sequences.
  CREATE TABLE blocks (block INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;

  -- For statistics, of blocks whose calls have all ended: kind, start and duration of each call, as 64-bit floats.
  CREATE TABLE packs (block INTEGER PRIMARY KEY, calls BLOB NOT NULL) STRICT;
`;
