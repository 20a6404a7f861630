import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** More than Ambit 0.1.0 stored in a file. */
const bytesMax = 256 * 1024 * 1024;

/**
 * Reads a file that Ambit 0.1.0 wrote. Rejects for anything else: a link could name a device, which has no end, or a file
 * of another program.
 */
export async function readFormerFile(path: string): Promise<Buffer> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ELOOP') throw error;
    throw new Error('it is a symbolic link, which Ambit did not create', { cause: error });
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > bytesMax)
      throw new Error(`it is not a regular file of at most ${bytesMax} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
