import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * What is in a file. Rejects for a pipe, which can be read only once: opening one waits for whoever writes, and neither a
 * call nor the end of the process would get past that.
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
