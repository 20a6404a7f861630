import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from 'node:fs';

/**
 * Creates an empty file with mode 600, or sets an existing file's mode to 600. For a file that
 * SQLite opens next: SQLite's files beside a database get the database's mode.
 *
 * Throws for a symbolic link of another user, and for a file whose mode would have to change
 * although it has other names: a user who can write to the folder could choose whose file changes.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    takePrivately(ownLinkFollowed(file));
  }
}

function ownLinkFollowed(file: string): string {
  const found = lstatSync(file);
  if (!found.isSymbolicLink()) return file;
  if (found.uid !== process.geteuid?.())
    throw new Error(`${file} is a symbolic link of another user; remove it`);
  return realpathSync(file);
}

function takePrivately(file: string): void {
  if (process.platform !== 'linux') {
    closeToOthers(file, file, lstatSync(file));
    return;
  }
  // Closing an ordinary descriptor of a file drops all locks of this process on it; closing an
  // O_PATH descriptor does not.
  const place = openSync(file, placeFlags);
  try {
    closeToOthers(file, `/proc/self/fd/${place}`, fstatSync(place));
  } finally {
    closeSync(place);
  }
}

/** O_PATH, which Node does not define, is the same number on x86-64 and arm64. */
const placeFlags = 0o10000000 | constants.O_NOFOLLOW;

function closeToOthers(file: string, place: string, found: Stats): void {
  if (found.isSymbolicLink()) throw new Error(`${file} became a symbolic link; remove it`);
  if ((found.mode & 0o077) === 0) return;
  if (found.nlink > 1)
    throw new Error(
      `other users can access ${file}, which also has another name (hard link); replace it with a file of its own`,
    );
  chmodSync(place, 0o600);
}
