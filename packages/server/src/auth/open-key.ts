import { type FileHandle, open } from 'node:fs/promises';
import { KeyFileError, readKey } from '@ambit/client/node';
import { newKey } from './new-key.ts';

/** The key of a data directory, and whether this call created it. */
export interface OpenedKey {
  key: string;
  created: boolean;
}

/**
 * Reads the API key from its file. On the first start it creates one: `ambit_` and 32 random bytes
 * in base64url. The file is created with mode 600.
 *
 * Throws a `KeyFileError` for a file that others can read, a symbolic link, or a key that is too
 * short or not printable.
 */
export async function openKey({ file }: { file: string }): Promise<OpenedKey> {
  const fresh = await create(file);
  if (fresh !== undefined) return { key: fresh, created: true };
  try {
    return { key: await readKey({ file, isOwn: true }), created: false };
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new KeyFileError(`${error.message}, or remove it to get a new key`, { cause: error });
  }
}

async function create(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw new KeyFileError(`cannot create the key file ${file}: ${(error as Error).message}`, {
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
