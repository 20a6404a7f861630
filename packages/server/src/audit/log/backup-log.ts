import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillError } from '@ambit/core';
import { syncPath } from '@ambit/runtime';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../file/audit-error.ts';
import { openExisting } from './open-readonly.ts';

/** A backup: the log as of one moment. */
export interface LogBackup {
  /** Absolute. */
  file: string;
  bytes: number;
  /** The last event's; 0 and `null` for an empty log. */
  sequence: number;
  hash: string | null;
}

/**
 * Copies the log into a new file (mode 600), also while a daemon writes to it. The copy is of one
 * moment, checked, and on disk when this resolves; it is a single file. Rejects with
 * `AUDIT_UNAVAILABLE`, and leaves no file, if the log cannot be read or the copy cannot be written.
 */
export async function backupLog({ file, to }: { file: string; to: string }): Promise<LogBackup> {
  const source = openExisting(file);
  try {
    claim(to);
    try {
      return await copy(source, to);
    } catch (error) {
      for (const leftover of [to, `${to}-journal`, `${to}-wal`, `${to}-shm`])
        rmSync(leftover, { force: true });
      throw auditError(to, 'written', error);
    }
  } finally {
    source.close();
  }
}

function claim(to: string): void {
  try {
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw auditError(to, 'written', error);
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `${to} already exists, and a backup overwrites no file; choose another name`,
      { cause: error },
    );
  }
}

async function copy(source: Database, to: string): Promise<LogBackup> {
  // The moment of the copy: later events are not included. Without a transaction, SQLite restarts
  // the copy after every commit.
  source.exec('BEGIN');
  const last = lastEvent(source);
  await source.backup(to);
  source.exec('COMMIT');
  const made = new Sqlite(to, { fileMustExist: true });
  try {
    // A single file, without a write-ahead log.
    made.pragma('journal_mode = DELETE');
    const flaws = made.pragma('quick_check(1)', { simple: true });
    const there = lastEvent(made);
    if (flaws !== 'ok' || there.sequence !== last.sequence || there.hash !== last.hash)
      throw new Error(`the copy does not match the log (${flaws})`);
  } finally {
    made.close();
  }
  syncPath(to);
  syncPath(dirname(to));
  return { file: to, bytes: statSync(to).size, ...last };
}

function lastEvent(database: Database): Pick<LogBackup, 'sequence' | 'hash'> {
  const row = database
    .prepare<[], { sequence: number; hash: Buffer }>(
      'SELECT sequence, hash FROM log ORDER BY sequence DESC LIMIT 1',
    )
    .get();
  return {
    sequence: row?.sequence ?? 0,
    hash: row === undefined ? null : `sha256:${row.hash.toString('hex')}`,
  };
}
