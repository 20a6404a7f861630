import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillError } from '@ambit/core';
import { syncPath } from '@ambit/runtime';
import Sqlite, { type Database } from 'better-sqlite3';
import { auditError } from '../audit-unavailable.ts';

/** What a backup holds: the log as it stood at one moment. */
export interface LogBackup {
  /** Absolute. */
  file: string;
  bytes: number;
  /** Of its last event; 0 and `null` for an empty log. */
  sequence: number;
  hash: string | null;
}

/**
 * Copies the log into a file that is not there yet (mode 600), also while a daemon writes to it: the copy is of one
 * moment, checked, on the disk when this resolves, and needs nothing beside it. Rejects with `AUDIT_UNAVAILABLE`, and
 * leaves no file, when the log cannot be read or the copy cannot be written.
 */
export async function backupLog({ file, to }: { file: string; to: string }): Promise<LogBackup> {
  const source = guarded(file, 'read', () => open(file));
  try {
    guarded(to, 'written', () => claim(to));
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

function open(file: string): Database {
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new SkillError('AUDIT_UNAVAILABLE', `there is no audit log ${file} yet; the first call begins it`);
  return new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
}

function claim(to: string): void {
  try {
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `${to} is there already, and a backup overwrites nothing: name a file that is not there`,
      { cause: error },
    );
  }
}

async function copy(source: Database, to: string): Promise<LogBackup> {
  // The moment: what is written from here on is not in the copy. Without it SQLite begins anew after every commit.
  source.exec('BEGIN');
  const last = lastEvent(source);
  await source.backup(to);
  source.exec('COMMIT');
  const made = new Sqlite(to, { fileMustExist: true });
  try {
    // One file, without a log of its own beside it.
    made.pragma('journal_mode = DELETE');
    const flaws = made.pragma('quick_check(1)', { simple: true });
    const there = lastEvent(made);
    if (flaws !== 'ok' || there.sequence !== last.sequence || there.hash !== last.hash)
      throw new Error(`the copy is not what was copied (${flaws})`);
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

function guarded<T>(file: string, doing: 'written' | 'read', use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw auditError(file, doing, error);
  }
}
