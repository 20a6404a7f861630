import {
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { KeyFileError } from '@ambit/client/node';
import { thrownText } from '@ambit/core/outcome';
import Sqlite, { type Database } from 'better-sqlite3';
import { type KeySource, KeysLockedError } from '../../auth/key-store.ts';
import { databaseAdvice } from '../../sqlite/database-advice.ts';
import { migrate, schemaVersion } from '../migrations.ts';
import { keyOperations } from '../operations/keys.ts';
import { stepsOf } from '../operations.ts';
import { sqliteDialect } from '../schema/step.ts';
import { lockWaitMs, runner } from '../sqlite/open-store-file.ts';
import type { Transaction } from '../statement.ts';
import { type KeyDatabase, recordsOf } from './stored-keys.ts';

/** As much as the record of trust in a data directory covers. */
const bytesMax = 16 * 1024 * 1024;
/** A read in the daemon delays everything else. */
const readWaitMs = 50;

/** The answers for a file without keys. */
const nothing = { listKeys: { revision: 0, keys: [] }, keysRevision: 0 };

/**
 * The keys of a data directory, in `keys.db` (mode 600, created by the first change). Rejects with a `KeyFileError` with a
 * remedy if others can read it, or if it is a link or damaged. Works in the calling thread, so it is for commands.
 */
export function keysFile(file: string): KeyDatabase {
  return {
    async run(name, ...given) {
      const steps = (): Transaction<never> => stepsOf(name, given) as Transaction<never>;
      return name in nothing
        ? read(file, steps, lockWaitMs, nothing[name as keyof typeof nothing] as never)
        : change(file, steps);
    },
  };
}

/** The same keys for the daemon, which reads them again when the file has changed. */
export function keysFileSource(file: string): KeySource {
  // A start waits for a change. Once a read has waited in vain, the following ones do not wait.
  let waitMs = lockWaitMs;
  return {
    stamp: fileStamp(file),
    read() {
      try {
        const { keys } = read(file, keyOperations.listKeys, waitMs, nothing.listKeys);
        waitMs = readWaitMs;
        return recordsOf(keys, unusableKeys(file));
      } catch (error) {
        waitMs = error instanceof KeysLockedError ? 0 : readWaitMs;
        throw error;
      }
    },
  };
}

/** Begins the message about a damaged key. */
export function unusableKeys(file: string): string {
  return `the keys' file ${file} is unusable; restore a backup, or remove it and create the keys again`;
}

/**
 * Identifies the state of the file without opening it; `undefined` if it does not exist. An error is a state too, which the
 * next read reports.
 *
 * Two changes in one tick of the file system's clock have the same times, so SQLite's count of changes belongs to the state
 * while the last change is recent.
 */
function fileStamp(file: string): () => string | undefined {
  let last: { times: string; isSettled: boolean; stamp: string } | undefined;
  return () => {
    try {
      // The status of a link itself, which is refused when read: its target may be a circle.
      const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined) return undefined;
      const times = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
      if (last?.times === times && last.isSettled) return last.stamp;
      const isSettled = Math.abs(Date.now() - Number(stat.mtimeNs / 1_000_000n)) > tickMsMax;
      last = { times, isSettled, stamp: `${times} ${stat.isFile() ? changeCounter(file) : ''}` };
      return last.stamp;
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  };
}

/** Longer than a tick of any file system. */
const tickMsMax = 2500;

/** Bytes 24 to 27 of a database (https://sqlite.org/fileformat2.html#file_change_counter). */
function changeCounter(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const counter = Buffer.alloc(4);
    readSync(descriptor, counter, 0, 4, 24);
    return counter.toString('hex');
  } finally {
    closeSync(descriptor);
  }
}

/** Runs steps that change nothing. Rolls back the change of a killed process, so it may write. */
function read<Result>(
  file: string,
  steps: () => Transaction<Result>,
  waitMs: number,
  whenEmpty: Result,
): Result {
  if (!isPresent(file)) return whenEmpty;
  return inFile('read', file, waitMs, (database) => {
    const run = runner(database);
    const readAll = (): Result => {
      // While the first key is being created, the file is empty.
      if (isEmpty(database)) return whenEmpty;
      requireKeys(file, database);
      return run(steps());
    };
    return database.transaction(readAll)();
  });
}

function change<Result>(file: string, steps: () => Transaction<Result>): Result {
  if (!isPresent(file)) create(file);
  return inFile('change', file, lockWaitMs, (database) => {
    // The record of trust in a data directory covers this file, so nothing may be beside it; and a revocation survives a
    // loss of power.
    database.pragma('synchronous = EXTRA');
    database.pragma('fullfsync = ON');
    const run = runner(database);
    const changeAll = (): Result => {
      if (!isEmpty(database)) requireKeys(file, database);
      run(migrate(sqliteDialect, 'keys'));
      const result = run(steps());
      if ((database.pragma('page_count', { simple: true }) as number) * pageBytes(database) > bytesMax)
        throw new KeyFileError(
          `the keys' file ${file} would have more than ${bytesMax} bytes; use fewer keys`,
        );
      return result;
    };
    return database.transaction(changeAll).immediate();
  });
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

/** Throws unless the file has keys in this version's schema, so that another program's database stays unchanged. */
function requireKeys(file: string, database: Database): void {
  const hasMigrations = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get();
  if (hasMigrations === undefined || runner(database)(schemaVersion('keys')) === 0)
    throw new KeyFileError(`${file} is another program's database; choose another file`);
  requirePlainTables(file, database);
}

/** A view could have endless rows, and a trigger could undo a revocation. Ambit creates neither. */
function requirePlainTables(file: string, database: Database): void {
  const odd = database
    .prepare<[], { type: string; name: string }>(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1",
    )
    .get();
  if (odd !== undefined)
    throw new KeyFileError(`${unusableKeys(file)}: it has a ${odd.type}, ${JSON.stringify(odd.name)}`);
}

function pageBytes(database: Database): number {
  return database.pragma('page_size', { simple: true }) as number;
}

function inFile<Result>(
  verb: 'read' | 'change',
  file: string,
  waitMs: number,
  use: (database: Database) => Result,
): Result {
  let database: Database | undefined;
  try {
    database = new Sqlite(file, { fileMustExist: true, timeout: waitMs });
    const mode = database.pragma('journal_mode', { simple: true });
    if (mode !== 'delete')
      throw new KeyFileError(
        `the keys' file ${file} has the journal mode ${mode}, which hides changes; run: sqlite3 ${file} "PRAGMA journal_mode = DELETE"`,
      );
    return use(database);
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    const code = String((error as { code?: unknown }).code);
    if (code === 'SQLITE_ERROR')
      throw new KeyFileError(`${unusableKeys(file)}: ${thrownText(error)}`, { cause: error });
    throw new (code.startsWith('SQLITE_BUSY') ? KeysLockedError : KeyFileError)(
      `cannot ${verb} the keys' file ${file}: ${databaseAdvice(file, error)}`,
      { cause: error },
    );
  } finally {
    database?.close();
  }
}

/** Whether the file exists. Throws if it, or a file that SQLite would read with it, is not the user's alone. */
function isPresent(file: string): boolean {
  for (const beside of [`${file}-journal`, `${file}-wal`]) check(beside);
  return check(file);
}

function check(file: string): boolean {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    throw new KeyFileError(`cannot read the keys' file ${file}: ${(cause as Error).message}`, { cause });
  }
  if (stat === undefined) return false;
  if (stat.isSymbolicLink())
    throw new KeyFileError(`the keys' file ${file} is a symbolic link; replace it with the file itself`);
  if ((stat.mode & 0o077) !== 0)
    throw new KeyFileError(`other users can access the keys' file ${file}; run "chmod 600 ${file}"`);
  if (!stat.isFile() || stat.size > bytesMax)
    throw new KeyFileError(`${unusableKeys(file)}: it is not a regular file of at most ${bytesMax} bytes`);
  return true;
}

/** A file that root creates belongs to the owner of the data directory, whose daemon reads it. SQLite's journal does too. */
function create(file: string): void {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    try {
      if (process.geteuid?.() !== 0) return;
      const { uid, gid } = statSync(dirname(file));
      fchownSync(descriptor, uid, gid);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    throw new KeyFileError(`cannot create the keys' file ${file}: ${message}`, { cause });
  }
}
