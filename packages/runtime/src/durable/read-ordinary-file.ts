import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a file. Rejects for a pipe: opening one waits for its writer, which would block the call
 * and the end of the process.
 */
export async function readOrdinaryFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if ((await handle.stat()).isFIFO())
      throw new Error('it is a pipe, which can be read only once; name a file');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
