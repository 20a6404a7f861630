import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '@ambit/runtime';

/** The names in a folder of Ambit 0.1.0; `undefined` if it does not exist. */
export async function entriesOf(folder: string): Promise<string[] | undefined> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Moves an imported folder of the data directory into `former-0.1.0` beside it, so that a copy remains. */
export async function setAside(folder: string): Promise<void> {
  const copies = copiesBeside(folder);
  await mkdir(copies, { recursive: true, mode: 0o700 });
  const copy = join(copies, basename(folder));
  await rename(folder, copy).catch((error: NodeJS.ErrnoException) => {
    // 0.1.0 ran again after an import.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    return rename(folder, `${copy}-${Date.now()}`);
  });
  await syncFolder(copies);
  await syncFolder(dirname(folder));
}

/** The copies of a folder. */
export async function copiesOf(folder: string): Promise<string[]> {
  const copies = copiesBeside(folder);
  const names = (await entriesOf(copies)) ?? [];
  return names.filter((name) => name.startsWith(basename(folder))).map((name) => join(copies, name));
}

function copiesBeside(folder: string): string {
  return join(dirname(folder), 'former-0.1.0');
}
