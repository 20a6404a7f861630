import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/** NONBLOCK, so that a pipe in the place of the draft fails and is not waited for; NOFOLLOW, so that a link overwrites nothing. */
const draftFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Writes a file, closed to other users, so that after a crash there is the one before or the whole of this. Where it cannot
 * be written there is the one before, and no draft.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.new`;
  try {
    const handle = await open(draft, draftFlags, 0o600);
    try {
      await writeWhole(handle, typeof content === 'string' ? Buffer.from(content) : content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** At once: `writeFile` waits for the event loop after every 512 KiB, which takes a minute for a large file while it is busy. */
async function writeWhole(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let rest = content; rest.length > 0; ) {
    const { bytesWritten } = await handle.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

/** Makes durable which names a folder has. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
