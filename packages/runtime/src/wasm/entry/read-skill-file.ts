import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill } from '@ambit/core';

/**
 * Reads a file of a skill, exactly as its digest describes it, so that the record names what was
 * used. `problem` continues a sentence that begins with the file's name. A file has a problem if it
 * is not a file of the skill, is a symlink or behind one, exceeds `bytesMax`, or (with
 * `hasChanged`) changed since the skill was read.
 */
export async function readSkillFile(
  { root, files }: Pick<Skill, 'root' | 'files'>,
  name: string,
  bytesMax: number,
): Promise<{ bytes: Uint8Array } | { problem: string; hasChanged?: boolean; cause?: unknown }> {
  const listed = files.find((file) => file.path === name);
  // Checked before any file access: the skill chooses the name, and must not learn which other
  // files exist.
  if (listed === undefined) return { problem: 'is not a file of the skill' };
  const path = join(await realpath(root), name);
  if ((await realpath(path).catch(() => path)) !== path)
    return { problem: 'is a symlink or behind one; put the file itself there' };
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBounded(path, bytesMax);
  } catch (cause) {
    return { problem: 'cannot be read', cause };
  }
  if (bytes === undefined) return { problem: `is not a file of at most ${bytesMax / 2 ** 20} MiB` };
  if (listed.sha256 !== createHash('sha256').update(bytes).digest('hex'))
    return { problem: 'changed since the skill was read; call again', hasChanged: true };
  return { bytes };
}

async function readBounded(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  // NONBLOCK: does not block if the file is a FIFO.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > bytesMax) return undefined;
    return await readUpTo(file, stats.size);
  } finally {
    await file.close();
  }
}

/** Reads at most `size` bytes; if the file has grown, its digest shows that. */
async function readUpTo(file: Awaited<ReturnType<typeof open>>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
