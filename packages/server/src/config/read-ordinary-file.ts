import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The text of a file that is read at the start and again while a daemon runs. Rejects for a pipe, which can be read only
 * once: opening one waits for whoever writes, and neither a reload nor the end of the process would get past that.
 */
export async function readOrdinaryFile(path: string): Promise<string> {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFIFO())
    throw new Error('it is a pipe, which can be read only once; name a file');
  return await handle.readFile('utf8');
}
