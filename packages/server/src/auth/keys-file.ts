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
 * The keys of a file in order of creation; none if the file does not exist. Throws a `KeyFileError`
 * with a remedy if others can read the file, or if it is a symbolic link or malformed.
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
 * Identifies the state of the file without reading it; `undefined` if it does not exist. An error
 * is a state too: the next read reports it.
 */
export function stampOf(file: string): string | undefined {
  try {
    // Of a link itself, which is refused when read: its target may be a circle.
    const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/**
 * Replaces the keys of a file with the result of `change`. Readers see the old file or the new one.
 * Of two simultaneous changes the second is refused: only one can create the draft. Throws what
 * `change` throws, and a `KeyFileError`; the file is then unchanged.
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
  // So that a revocation survives a loss of power.
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
        ? `the keys' file ${file} is a symbolic link; replace it with the file itself`
        : `cannot read the keys' file ${file}: ${message}`,
      { cause },
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if ((stat.mode & 0o077) !== 0)
      throw new KeyFileError(`other users can access the keys' file ${file}; run "chmod 600 ${file}"`);
    if (!stat.isFile() || stat.size > bytesMax)
      throw new KeyFileError(`${unusable(file)}: it is not a regular file of at most ${bytesMax} bytes`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string): string {
  return `the keys' file ${file} is unusable; fix it, or remove it and create the keys again with "ambit key create"`;
}

function openDraft(file: string, draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new KeyFileError(
      code === 'EEXIST'
        ? `another command is changing the keys; try again, or remove ${draft} if no command is running`
        : `cannot write the keys' file ${file}: ${message}`,
      { cause },
    );
  }
}

/**
 * For a file that root creates while the daemon has another user: the daemon must be able to read
 * it.
 */
function giveToOwnerOf(folder: string, descriptor: number): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  fchownSync(descriptor, uid, gid);
}
