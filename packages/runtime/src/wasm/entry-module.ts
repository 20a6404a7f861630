import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError, type ToolSkill } from '@ambit/core';
import { whyNotCoreModule } from './core-module.ts';

const moduleBytesMax = 64 * 1024 * 1024;

/**
 * The bytes of the module that a skill names as its entry: exactly those that its digest was taken over, so that what
 * runs is what the record names.
 *
 * Throws `SKILL_INVALID` when the entry is not a file of the skill, is a link or behind one, is longer than 64 MiB, has
 * changed since the skill was read, or is no core WebAssembly module.
 */
export async function readEntryModule({ id, root, run, files }: ToolSkill): Promise<Uint8Array> {
  const invalid = (problem: string, cause?: unknown): SkillError =>
    new SkillError('SKILL_INVALID', `${id}: its entry ${run.entry} ${problem}`, { cause });
  const path = join(await realpath(root), run.entry);
  if ((await realpath(path).catch(() => path)) !== path)
    throw invalid('is a link or lies behind one; put the file itself there');
  const bytes = await readBounded(path).catch((error: unknown) => {
    throw invalid('cannot be read', error);
  });
  if (bytes === undefined) throw invalid('is no file of at most 64 MiB');
  const listed = files.find((file) => file.path === run.entry);
  if (listed?.sha256 !== createHash('sha256').update(bytes).digest('hex')) {
    throw invalid('is not what it was when the skill was read; call again to read it anew');
  }
  const problem = whyNotCoreModule(bytes);
  if (problem !== undefined) throw invalid(problem);
  return bytes;
}

async function readBounded(path: string): Promise<Uint8Array | undefined> {
  // NONBLOCK, so that a pipe in a file's place is looked at and not waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > moduleBytesMax) return undefined;
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
