import { mkdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnnouncedDaemon, announcedDaemon, announcementFile } from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import { writeDurably } from '@ambit/runtime';
import Sqlite, { type Database, SqliteError } from 'better-sqlite3';
import { createPrivately } from './create-privately.ts';
import { type HeldLock, heldLock, whyLost } from './held-lock.ts';

/** The right to use a data directory; the kernel takes it back when the process ends, however it ends. */
export interface DataDirLock {
  /** For checking that the lock is still held. */
  held: HeldLock;
  /** Writes `daemon.json` (mode 600), by which others find the daemon. */
  announce(address: AnnouncedDaemon): Promise<void>;
  release(): Promise<void>;
}

/** `address` is `null` while the one that holds the directory has not announced itself. */
export type DaemonStatus = { running: false } | { running: true; address: AnnouncedDaemon | null };

/**
 * Takes a data directory, so that two daemons never share one; makes it (mode 700) when it is not there. The lock is
 * SQLite's own, on a file of its own: nothing is left to clean up after a crash. On a network file system it is only
 * as good as that one's locks.
 *
 * Throws `AUDIT_UNAVAILABLE` when it is taken, naming who has it (`details.address`), or when it cannot be used.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  const database = open(dir);
  try {
    // Nothing is ever written, so no journal has to lie beside it.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw isLocked(error) ? taken(dir, await announcedDaemon(dir), error) : unusable(dir, error);
  }
  // Whoever wrote it does not run any more.
  await rm(announcementFile(dir), { force: true });
  const held = heldLock(lockFile(dir));
  return {
    held,
    async announce(address) {
      await writeDurably(announcementFile(dir), `${JSON.stringify(address)}\n`);
    },
    async release() {
      // The announcement may be another daemon's by now, and the descriptor's number another file's.
      if (!database.open || whyLost(held) !== undefined) return;
      await rm(announcementFile(dir), { force: true });
      database.close();
    },
  };
}

/**
 * Whether a daemon uses a data directory, and where it listens. Changes nothing, and holds up no daemon that starts. Goes by
 * the lock, which one that was killed cannot leave behind; the client's `findDaemon`, which brings no SQLite, has to go by
 * what was announced.
 */
export async function daemonStatus(dir: string): Promise<DaemonStatus> {
  if (!isTaken(dir)) return { running: false };
  return { running: true, address: await announcedDaemon(dir) };
}

function open(dir: string): Database {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    createPrivately(lockFile(dir));
    // Somebody who only looks holds a shared lock for a moment.
    return new Sqlite(lockFile(dir), { fileMustExist: true, timeout: 500 });
  } catch (error) {
    throw unusable(dir, error);
  }
}

function isTaken(dir: string): boolean {
  if (statSync(lockFile(dir), { throwIfNoEntry: false }) === undefined) return false;
  let database: Database | undefined;
  try {
    database = new Sqlite(lockFile(dir), { readonly: true, fileMustExist: true, timeout: 0 });
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isLocked(error)) return true;
    throw unusable(dir, error);
  } finally {
    database?.close();
  }
}

function lockFile(dir: string): string {
  return join(dir, 'lock');
}

function isLocked(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function taken(dir: string, address: AnnouncedDaemon | null, cause: unknown): SkillError {
  const who =
    address === null ? 'another Ambit' : `the Ambit with process id ${address.pid}, at ${address.url},`;
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `${who} uses the data directory ${dir}: use that one, stop it, or set another dataDir`,
    {
      cause,
      details: { address },
    },
  );
}

function unusable(dir: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the data directory ${dir} cannot be used (${(cause as Error).message}): give the user that Ambit runs as the right to write it, or set another dataDir`,
    { cause },
  );
}
