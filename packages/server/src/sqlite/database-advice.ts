import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { thrownText } from '@ambit/core/outcome';

/** Says why SQLite or the file system could not read or write a database, and what to do. */
export function databaseAdvice(file: string, error: unknown): string {
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
      return "it is read-only; give Ambit's user write access to it and its folder";
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return 'another process has locked it; end that process ("fuser FILE" shows it)'.replace('FILE', file);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return 'it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOENT':
      return 'it or its folder does not exist';
    case 'SQLITE_IOERR':
    case 'SQLITE_CANTOPEN':
      return isFull(file)
        ? diskFull
        : `of a disk error, or because the file cannot be opened (${code}); check the disk`;
    default:
      return thrownText(error);
  }
}

const diskFull = 'the disk is full; free some space';

/**
 * If SQLite has no room for its own files beside the database, it reports an I/O error instead of a full
 * disk.
 */
function isFull(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0;
  } catch {
    // The folder does not exist, so it is not full.
    return false;
  }
}
