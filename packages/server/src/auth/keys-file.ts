import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { KeyFileError } from '@ambit/client/node';
import { describeIssues } from '@ambit/core/internal';
import { syncPath } from '@ambit/runtime';
import { type KeyRecord, KeysFile } from './key-record.ts';

const bytesMax = 8 * 1024 * 1024;

/**
 * The keys that a file has, in the order in which they were made; no file is no keys. Throws a `KeyFileError` that says
 * what to do for one that others can read, a symbolic link, and one that is not what was written.
 */
export function readKeys(file: string): readonly KeyRecord[] {
  const text = textOf(file);
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KeyFileError(`${unusable(file)}: it is not JSON (${(cause as Error).message})`, { cause });
  }
  const parsed = KeysFile.safeParse(value);
  if (parsed.success) return parsed.data.keys;
  throw new KeyFileError(`${unusable(file)}: ${describeIssues(parsed.error, KeysFile, value).join('; ')}`);
}

/**
 * What tells one state of the file from another without reading it; `undefined` when there is none. That it cannot be looked
 * at is a state too: whoever reads it then is told why.
 */
export function stampOf(file: string): string | undefined {
  try {
    // Of a link itself, which is refused when it is read: what it leads to may be a circle.
    const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/**
 * Replaces the keys of a file by what `change` makes of them. A reader finds the old ones or the new ones, and of two
 * changes at once the second is refused: the new text is a file that only one can have made. Throws what `change` throws,
 * and a `KeyFileError`; the file is as it was then.
 */
export function changeKeys(file: string, change: (keys: readonly KeyRecord[]) => readonly KeyRecord[]): void {
  const draft = `${file}.new`;
  const descriptor = openDraft(file, draft);
  try {
    try {
      const content: KeysFile = { keys: [...change(readKeys(file))] };
      writeFileSync(descriptor, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(descriptor);
      giveToOwnerOf(dirname(file), descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  // So that a key that was revoked stays so after a loss of power.
  syncPath(dirname(file));
}

function textOf(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new KeyFileError(
      code === 'ELOOP'
        ? `the keys' file ${file} is a symbolic link: put the file itself there`
        : `the keys' file ${file} cannot be read: ${message}`,
      { cause },
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if ((stat.mode & 0o077) !== 0)
      throw new KeyFileError(`others can read or write the keys' file ${file}: run "chmod 600 ${file}"`);
    if (!stat.isFile() || stat.size > bytesMax)
      throw new KeyFileError(`${unusable(file)}: it is no file of at most ${bytesMax} bytes`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string): string {
  return `the keys' file ${file} cannot be used; mend it, or remove it and make the keys again with "ambit key create"`;
}

function openDraft(file: string, draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new KeyFileError(
      code === 'EEXIST'
        ? `another command is changing the keys; try again, and if none is, remove ${draft}`
        : `the keys' file ${file} cannot be written: ${message}`,
      { cause },
    );
  }
}

/** What root makes for a daemon that is another user: otherwise that one could not read it, nor learn what was revoked. */
function giveToOwnerOf(folder: string, descriptor: number): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  fchownSync(descriptor, uid, gid);
}
