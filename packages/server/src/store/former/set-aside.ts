import { constants, existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '@ambit/runtime';

/** The names in a folder of Ambit 0.1.0; `undefined` if it does not exist. */
export async function entriesOf(folder: string): Promise<string[] | undefined> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Moves an imported file or folder of the data directory into `former-0.1.0` beside it, so that a copy remains. */
export async function setAside(path: string): Promise<void> {
  const copies = copiesBeside(path);
  if ((await mkdir(copies, { recursive: true, mode: 0o700 })) !== undefined)
    await giveToOwnerOf(dirname(path), copies);
  const copy = join(copies, basename(path));
  // If 0.1.0 ran again after an import, there is a copy already.
  await rename(path, existsSync(copy) ? `${copy}-${Date.now()}` : copy);
  await syncFolder(copies);
  await syncFolder(dirname(path));
}

/** For a folder that root creates: the daemon's user must be able to write to it. */
async function giveToOwnerOf(parent: string, folder: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(parent);
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chown(uid, gid);
  } finally {
    await handle.close();
  }
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
