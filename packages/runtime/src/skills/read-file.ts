import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Disk } from './disk.ts';
import type { FolderEntry } from './list-folder.ts';

/** A file's digest, and the beginning of the very bytes that it is over. */
export interface ReadFile {
  /** SHA-256 of the content, of a link of the text it holds. Hex. */
  sha256: string;
  /** As many bytes as were asked for, or as there are. */
  head: Buffer;
}

const pieceBytes = 256 * 1024;

/**
 * Reads a listed file once, in pieces, and keeps its first `keepBytes`.
 *
 * Throws `SKILL_INVALID` when the file has become longer since it was listed; whoever writes it may be at it still.
 */
export async function readFile(
  root: string,
  { path, bytes, link }: FolderEntry,
  keepBytes: number,
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
      if (total < keepBytes) head.push(content.subarray(0, keepBytes - total));
      total += length;
      if (total > bytes)
        throw new SkillError(
          'SKILL_INVALID',
          `${path} grew while it was read; it is read again at the next call`,
        );
      // One byte more than there should be was asked for, and did not come: that was the end.
      if (length < piece.length) break;
    }
    return { sha256: digest.digest('hex'), head: Buffer.concat(head) };
  } finally {
    await disk.close(descriptor);
  }
}
