import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { newKey } from './new-key.ts';

/** The key of a data directory, and whether this call made it. */
export interface OpenedKey {
  key: string;
  created: boolean;
}

/** A key file that is not used as it is; the message says what to do about it. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

const keyLengthMin = 32;
const keyFileBytesMax = 1024;

/**
 * Reads the API key from its file; at the first start, when there is none, makes one: `ambit_` and 32 random bytes in
 * base64url. The file is for its owner alone from the moment that it exists.
 *
 * Throws a `KeyFileError` for a file that others can read, a symbolic link, or a key that is too short or not printable.
 */
export async function openKey({ file }: { file: string }): Promise<OpenedKey> {
  const fresh = await create(file);
  return fresh === undefined
    ? { key: await readKey({ file }), created: false }
    : { key: fresh, created: true };
}

/** The API key that is in its file, for who speaks with a daemon that runs. Throws as `openKey`, and for no file. */
export async function readKey({ file }: { file: string }): Promise<string> {
  const handle = await openPlainly(file);
  try {
    return await keyIn(handle, file);
  } finally {
    await handle.close();
  }
}

async function create(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw new KeyFileError(`the key file ${file} cannot be made: ${(error as Error).message}`, {
      cause: error,
    });
  }
  try {
    const key = newKey();
    await handle.writeFile(`${key}\n`);
    await handle.sync();
    return key;
  } finally {
    await handle.close();
  }
}

async function keyIn(handle: FileHandle, file: string): Promise<string> {
  const { mode, size } = await handle.stat();
  if ((mode & 0o077) !== 0) {
    throw new KeyFileError(
      `others can read or write the key file ${file}: run "chmod 600 ${file}", or remove it to get a new key`,
    );
  }
  const key = size > keyFileBytesMax ? '' : (await handle.readFile('utf8')).trim();
  if (/^[\x21-\x7e]+$/.test(key) && key.length >= keyLengthMin) return key;
  throw new KeyFileError(
    `the key file ${file} does not hold a key: write at least ${keyLengthMin} printable characters on one line, or remove it to get a new one`,
  );
}

/** Without following a link: whoever can place one would choose which file is the key. */
async function openPlainly(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new KeyFileError(unreadable(file, error as NodeJS.ErrnoException), { cause: error });
  }
}

function unreadable(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ELOOP')
    return `the key file ${file} is a symbolic link: put the key itself there, or remove it to get a new one`;
  if (code === 'ENOENT') return `there is no key file ${file}: start the daemon again, which makes one`;
  return `the key file ${file} cannot be read: ${message}`;
}
