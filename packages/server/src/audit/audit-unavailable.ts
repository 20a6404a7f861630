import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/internal';

/**
 * What a failure of the database is to the rest of Ambit: `AUDIT_UNAVAILABLE`, with what to do and the cause. A
 * `SkillError` passes as it is.
 */
export function auditError(file: string, doing: 'written' | 'read', error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const then =
    doing === 'written'
      ? '; nothing runs without a record, and calls work again as soon as it can be written'
      : '';
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} cannot be ${doing}: ${advice(file, error)}${then}`,
    {
      cause: error,
    },
  );
}

function advice(file: string, error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const kind = typeof code === 'string' ? code.replace(/^(SQLITE_[A-Z]+)_.*$/, '$1') : undefined;
  switch (kind) {
    case 'SQLITE_FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull;
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'it is read-only here; give the user that Ambit runs as the right to write it and its folder';
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return 'another process has locked it; close that one (fuser FILE names it)'.replace('FILE', file);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return 'it is damaged; stop Ambit, keep a copy of it, and put a backup or nothing in its place';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOENT':
      return 'it is not there, or its folder is not';
    case 'SQLITE_IOERR':
    case 'SQLITE_CANTOPEN':
      return isFull(file) ? diskFull : `the disk failed or the file cannot be opened (${code})`;
    default:
      return thrownText(error);
  }
}

const diskFull = 'the disk is full; free some space there';

/** Where SQLite has no room for its own files beside the log, it reports a failed operation and not a full disk. */
function isFull(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0;
  } catch {
    // The folder is gone: then it is not full.
    return false;
  }
}
