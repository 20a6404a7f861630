import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/**
 * NONBLOCK fails for a pipe in place of the draft instead of waiting; NOFOLLOW does not overwrite
 * the target of a link.
 */
const draftFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Writes a file, closed to other users unless `mode` says otherwise. After a crash there is either the previous file or the
 * complete new one. If writing fails, the previous file stays and the draft is removed.
 */
export async function writeDurably(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const draft = `${file}.new`;
  try {
    const handle = await open(draft, draftFlags, mode);
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

/**
 * Writes everything in one call. `writeFile` yields to the event loop after every 512 KiB, which
 * takes a minute for a large file while the loop is busy.
 */
async function writeWhole(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let rest = content; rest.length > 0; ) {
    const { bytesWritten } = await handle.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes the content of a file or the names in a folder durable. Blocks, for callers that work
 * sequentially anyway.
 */
export function syncPath(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
