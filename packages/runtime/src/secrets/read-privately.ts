import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const bytesMax = 64 * 1024;
const openToOthers = 0o077;

/**
 * Reads a file that only its owner can read. Rejects for any other, and for anything but a file of
 * up to 64 KiB.
 */
export async function readPrivately(path: string): Promise<string> {
  // NONBLOCK avoids waiting for the writer of a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened (${(error as NodeJS.ErrnoException).code})`);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > bytesMax) throw new Error(`${path} is not a file of at most 64 KiB`);
    if ((stats.mode & openToOthers) !== 0) throw new Error(`others can read ${path}: chmod 600 ${path}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
