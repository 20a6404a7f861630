import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isKey } from '../client/daemon-of.ts';
import { AmbitClientError } from '../failure/ambit-client-error.ts';

/** A key file that is unusable; the message says what to do. */
export class KeyFileError extends AmbitClientError {
  override readonly name = 'KeyFileError';
}

const keyLengthMin = 32;
const keyFileBytesMax = 1024;

/**
 * The key in a file, as a daemon writes it. Throws a `KeyFileError` if the file is missing, is a
 * symbolic link or is accessible to other users, or if the key is too short or not printable.
 * `isOwn`: the daemon reads its own key, which its operator may have chosen.
 */
export async function readKey({ file, isOwn = false }: { file: string; isOwn?: boolean }): Promise<string> {
  const handle = await openPlainly(file);
  try {
    return await keyIn(handle, file, isOwn);
  } finally {
    await handle.close();
  }
}

/** Without following links: a planted link could select which file is the key. */
async function openPlainly(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new KeyFileError(unreadable(file, error), { cause: error });
  }
}

function unreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ELOOP') return `the key file ${file} is a symbolic link: put the key itself there`;
  if (code === 'ENOENT') {
    return `the key file ${file} does not exist. Name a file with a key of this daemon, or ask its operator for a key`;
  }
  return `the key file ${file} cannot be read: ${error instanceof Error ? error.message : error}`;
}

async function keyIn(handle: FileHandle, file: string, isOwn: boolean): Promise<string> {
  const { mode, size } = await handle.stat();
  if ((mode & 0o077) !== 0) {
    throw new KeyFileError(`others can read or write the key file ${file}: run "chmod 600 ${file}"`);
  }
  const key = size > keyFileBytesMax ? '' : (await handle.readFile('utf8')).trim();
  if (isKey(key) && key.length >= keyLengthMin) return key;
  const remedy = isOwn
    ? `Write at least ${keyLengthMin} printable characters on one line`
    : 'Put a key of this daemon into it, on one line';
  throw new KeyFileError(`the key file ${file} does not contain a key. ${remedy}`);
}
