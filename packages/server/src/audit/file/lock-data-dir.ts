import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AnnouncedDaemon,
  announcedDaemon,
  announcementFile,
  isAnnouncerRunning,
} from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import { writeDurably } from '@ambit/runtime';
import type Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { createPrivately } from '../../sqlite/create-privately.ts';
import { createDataDir } from './create-data-dir.ts';
import { type HeldLock, heldLock, whyLost } from './held-lock.ts';

/**
 * Exclusive use of a data directory. The kernel releases it when the process ends, even after a
 * crash.
 */
export interface DataDirLock {
  /** Checks that the lock is still held. */
  held: HeldLock;
  /** Writes `daemon.json` (mode 600), by which clients find the daemon. Does nothing if the lock is lost. */
  announce(address: AnnouncedDaemon): Promise<void>;
  release(): Promise<void>;
}

/**
 * `process` is `null` until the daemon has announced itself, and `address` until it listens. A daemon on demand announces itself
 * as soon as it starts.
 */
export type DaemonStatus =
  | { running: false }
  | { running: true; process: AnnouncedDaemon | null; address: AnnouncedDaemon | null };

/**
 * Locks a data directory, so that two daemons never share one; creates it (mode 700) if it does not
 * exist. The lock is SQLite's, on a file of its own: after a crash nothing needs cleanup. On a
 * network file system it is as reliable as that system's locks.
 *
 * Throws `AUDIT_UNAVAILABLE` if it is taken, with the daemon's address (`details.address`), or if
 * it cannot be used.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  const database = await open(dir);
  try {
    // Nothing is ever written, so no journal file is needed.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw isLocked(error) ? taken(dir, await announcedDaemon(dir), error) : unusable(dir, error);
  }
  // Its writer is no longer running.
  await rm(announcementFile(dir), { force: true });
  const held = heldLock(lockFile(dir));
  return {
    held,
    async announce(address) {
      // The announcement may already be another daemon's.
      if (whyLost(held) !== undefined) return;
      await writeDurably(announcementFile(dir), `${JSON.stringify(address)}\n`);
    },
    async release() {
      // The same for the announcement, and the descriptor's number may be reused.
      if (!database.open || whyLost(held) !== undefined) return;
      await rm(announcementFile(dir), { force: true });
      database.close();
    },
  };
}

/**
 * Whether a daemon uses a data directory, and its address. Changes nothing, and does not delay a
 * starting daemon. It checks the lock, which a killed daemon cannot leave behind; the client's
 * `findDaemon`, which has no SQLite, relies on the announcement.
 */
export async function daemonStatus(dir: string): Promise<DaemonStatus> {
  if (!(await isLockTaken(dir))) return { running: false };
  const announced = await announcedDaemon(dir);
  // The next daemon, which has just taken the lock, has not removed the announcement of a killed one yet.
  if (announced === null || !(await isAnnouncerRunning(announced)))
    return { running: true, process: null, address: null };
  return { running: true, process: announced, address: isListening(announced) ? announced : null };
}

/** Whether an error says that another process uses the data directory. */
export function isTaken(error: unknown): boolean {
  return error instanceof SkillError && error.code === 'AUDIT_UNAVAILABLE' && 'address' in error.details;
}

function isListening({ url, socket }: AnnouncedDaemon): boolean {
  return url !== undefined || socket !== undefined;
}

async function open(dir: string): Promise<Database> {
  const Sqlite = await loadSqlite();
  try {
    createDataDir(dir);
    createPrivately(lockFile(dir));
    // A status check holds a shared lock for a moment.
    return new Sqlite(lockFile(dir), { fileMustExist: true, timeout: 500 });
  } catch (error) {
    throw unusable(dir, error);
  }
}

async function isLockTaken(dir: string): Promise<boolean> {
  if (statSync(lockFile(dir), { throwIfNoEntry: false }) === undefined) return false;
  const Sqlite = await loadSqlite();
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

/** Whether SQLite's lock is held by another process. */
export function isLocked(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}

/** SQLite, which commands load only if they need the lock. */
export async function loadSqlite(): Promise<typeof Sqlite> {
  return (await import('better-sqlite3')).default;
}

function taken(dir: string, address: AnnouncedDaemon | null, cause: unknown): SkillError {
  const [who, how] =
    address === null
      ? ['another Ambit process', 'Stop it']
      : [`a daemon (${placeText(address)})`, 'Use it, stop it (ambit stop)'];
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `${who} already uses the data directory ${dir}. ${how}, or name another directory with --data-dir`,
    {
      cause,
      details: { address },
    },
  );
}

function placeText({ pid, url }: AnnouncedDaemon): string {
  return url === undefined ? `process ${pid}` : `process ${pid}, ${url}`;
}

/** The refusal of a data directory that this user cannot use. */
export function unusable(dir: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `cannot use the data directory ${dir} (${(cause as Error).message}); give Ambit's user write access to it, or set another dataDir`,
    { cause },
  );
}
