import type { FileHandle } from 'node:fs/promises';
import type { Opened } from './open-contained.ts';
import type { Piece } from './piece.ts';

/** Reads at most `bytesMax` of an open file. If it is not UTF-8 text, only its size is included. */
export async function readText({ handle, stats }: Opened, bytesMax: number): Promise<Piece> {
  const bytes = await head(handle, bytesMax);
  // A file can grow or shrink while it is read.
  const totalBytes = bytes.length < bytesMax ? bytes.length : Math.max(stats.size, bytes.length);
  const isWhole = bytes.length === totalBytes;
  if (isText(bytes, isWhole)) return { kind: 'text', bytes, totalBytes };
  return { kind: 'named', note: `not shown: ${totalBytes} bytes that are not UTF-8 text` };
}

async function head(handle: FileHandle, bytesMax: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const { bytesRead } = await handle.read(buffer, length, bytesMax - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** If `isWhole` is false, the last character may be incomplete. */
function isText(bytes: Uint8Array, isWhole: boolean): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}
