import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { type FileContent, partBytes } from '@ambit/core/workspace';

/** Bytes that have arrived: the first part in memory, more of them in a file. */
export interface SpooledContent {
  content: Uint8Array | FileContent;
  /** Frees the file. */
  close(): Promise<void>;
}

/**
 * Receives bytes until they can be stored as a whole. More than a part of them is on disk in `folder`, in a file without a name,
 * which ends with this process. Rejects with what `tooLarge` returns above `bytesMax` bytes, and with `STORE_UNAVAILABLE` if the
 * disk is full.
 */
export async function spool(
  bytes: AsyncIterable<Uint8Array>,
  { folder, bytesMax, tooLarge }: { folder: string; bytesMax: number; tooLarge: () => Error },
): Promise<SpooledContent> {
  const digest = createHash('sha256');
  let file: FileHandle | undefined;
  let held: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bytesMax) throw tooLarge();
      digest.update(chunk);
      if (file === undefined && length <= partBytes) held.push(chunk);
      else {
        file ??= await namelessFile(folder);
        for (const each of [...held, chunk]) await file.writeFile(each);
        held = [];
      }
    }
    if (file === undefined) return { content: Buffer.concat(held), close: async () => undefined };
    const whole = file;
    return {
      content: {
        length,
        sha256: digest.digest('hex'),
        async *parts(start = 0, end = length) {
          const part = Buffer.alloc(Math.min(partBytes, Math.max(0, end - start)));
          for (let at = start; at < Math.min(end, length); ) {
            const size = Math.min(part.length, end - at, length - at);
            const { bytesRead } = await whole.read(part, 0, size, at);
            if (bytesRead === 0) throw new Error('the file of an upload was cut');
            at += bytesRead;
            yield part.subarray(0, bytesRead);
          }
        },
      },
      close: () => whole.close(),
    };
  } catch (error) {
    await file?.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    throw new SkillError(
      'STORE_UNAVAILABLE',
      `cannot hold an upload in ${folder}: the disk is full. Free some space, and send it again`,
      { cause: error },
    );
  }
}

async function namelessFile(folder: string): Promise<FileHandle> {
  const own = await mkdtemp(join(folder, 'upload-'));
  try {
    return await open(join(own, 'file'), 'wx+', 0o600);
  } finally {
    await rm(own, { recursive: true });
  }
}
