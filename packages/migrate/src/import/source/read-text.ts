import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UsageError } from '@ambit/core/outcome';

/**
 * The text of a regular file of at most `bytesMax` bytes. Does not follow links or wait for pipes.
 * Rejects with a `UsageError` whose message continues a sentence that begins with the file's name.
 */
export async function readText(path: string, bytesMax: number): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return utf8(await bytesOf(file, bytesMax));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof UsageError
      ? error
      : new UsageError(`cannot be read: ${codeOf(error)}`, { cause: error });
  }
}

async function bytesOf(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new UsageError('is not a regular file');
  if (stats.size > bytesMax) throw new UsageError(`has ${stats.size} bytes; the limit is ${bytesMax}`);
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  // The extra byte detects a file that grows while it is read.
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length === bytes.length) throw new UsageError('grew while it was read; import it again');
  }
}

/** Decodes UTF-8 and preserves a byte order mark. Throws a `UsageError` for other bytes. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UsageError('is not UTF-8', { cause: error });
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file';
  return code === 'ELOOP' ? 'links are not followed' : (code ?? message);
}
