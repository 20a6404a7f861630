import { createHash, type Hash, hash } from 'node:crypto';
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
  const head: Buffer[] = [];
  const descriptor = await disk.open(`${root}/${path}`);
  try {
    let digest: Hash | undefined;
    let total = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.min(bytes - total + 1, pieceBytes));
      const length = await disk.read(descriptor, piece);
      const content = piece.subarray(0, length);
      if (total < headBytes) head.push(content.subarray(0, headBytes - total));
      total += length;
      if (total > bytes)
        throw new SkillError('SKILL_INVALID', `${path} grew while it was read; the next call reads it again`);
      // One byte more than the size was requested and is missing, so this is the end.
      const isEnd = length < piece.length;
      // Nearly every file is one piece, for which a single call is faster.
      if (isEnd && digest === undefined)
        return { sha256: hash('sha256', content), head: head[0] ?? content.subarray(0, 0) };
      digest ??= createHash('sha256');
      digest.update(content);
      if (isEnd) return { sha256: digest.digest('hex'), head: Buffer.concat(head) };
    }
  } finally {
    await disk.close(descriptor);
  }
}
