import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill, SkillFile } from '@ambit/core';

/**
 * The bytes of one of a skill's files. Only a path that the skill's digest covers is opened, and only bytes that it
 * covers are handed out: neither `..` nor a link, nor a swap in between, leads out of the folder. `undefined` for a file
 * that is a link, or has changed since the skill was read.
 */
export async function readListedFile(
  { root }: Pick<Skill, 'root'>,
  { path, bytes, sha256 }: SkillFile,
): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(join(root, path), flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(bytes);
    await handle.read(buffer, 0, bytes, 0);
    return createHash('sha256').update(buffer).digest('hex') === sha256 ? buffer : undefined;
  } catch {
    return undefined; // a folder or the like has taken its place
  } finally {
    await handle.close();
  }
}
