import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Disk } from './disk.ts';
import type { FolderEntry } from './list-folder.ts';

/** A file's digest and the first of the bytes it covers. */
export interface ReadFile {
  /** SHA-256 of the content, or of a link's target. Hex. */
  sha256: string;
  /** The requested number of bytes, or the whole file if it is shorter. */
  head: Buffer;
}

const pieceBytes = 256 * 1024;

/**
 * Reads a listed file once, in pieces, and returns its first `headBytes`.
 *
 * Throws `SKILL_INVALID` if the file has grown since it was listed; its writer may still be at
 * work.
 */
export async function readFile(
  root: string,
  { path, bytes, link }: FolderEntry,
  headBytes: number,
  disk: Disk,
): Promise<ReadFile> {
  if (link !== undefined) return { sha256: hash('sha256', `link\0${link}`), head: Buffer.alloc(0) };
  const head: Uint8Array[] = [];
  const descriptor = await disk.open(join(root, path));
  try {
    const digest = createHash('sha256');
    let total = 0;
    for (;;) {
      const piece = new Uint8Array(Math.min(bytes - total + 1, pieceBytes));
      const length = await disk.read(descriptor, piece);
      if (length === 0) break;
      const content = piece.subarray(0, length);
      digest.update(content);
      if (total < headBytes) head.push(content.subarray(0, headBytes - total));
      total += length;
      if (total > bytes)
        throw new SkillError('SKILL_INVALID', `${path} grew while it was read; the next call reads it again`);
      // One byte more than the size was requested and is missing, so this is the end.
      if (length < piece.length) break;
    }
    return { sha256: digest.digest('hex'), head: Buffer.concat(head) };
  } finally {
    await disk.close(descriptor);
  }
}
