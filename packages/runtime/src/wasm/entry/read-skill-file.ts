import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill } from '@ambit/core';

/**
 * The bytes of one of a skill's files: exactly those that its digest was taken over, so that what is used is what the
 * record names. `problem` goes on from the file's name, for one that is no file of the skill, is a link or behind one, is
 * longer than `bytesMax`, or, with `hasChanged`, is not what it was when the skill was read.
 */
export async function readSkillFile(
  { root, files }: Pick<Skill, 'root' | 'files'>,
  name: string,
  bytesMax: number,
): Promise<{ bytes: Uint8Array } | { problem: string; hasChanged?: boolean; cause?: unknown }> {
  const listed = files.find((file) => file.path === name);
  // Before anything is looked at: a skill chooses the name, and learns nothing of what else is on this machine.
  if (listed === undefined) return { problem: 'is no file of the skill' };
  const path = join(await realpath(root), name);
  if ((await realpath(path).catch(() => path)) !== path)
    return { problem: 'is a link or lies behind one; put the file itself there' };
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBounded(path, bytesMax);
  } catch (cause) {
    return { problem: 'cannot be read', cause };
  }
  if (bytes === undefined) return { problem: `is no file of at most ${bytesMax / 2 ** 20} MiB` };
  if (listed.sha256 !== createHash('sha256').update(bytes).digest('hex'))
    return { problem: 'is not what it was when the skill was read; call again', hasChanged: true };
  return { bytes };
}

async function readBounded(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  // NONBLOCK, so that a pipe in a file's place is looked at and not waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > bytesMax) return undefined;
    return await readUpTo(file, stats.size);
  } finally {
    await file.close();
  }
}

/** A file that grows meanwhile is read as far as it reached; its digest tells. */
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
