import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/internal';
import { openListedFile } from './open-listed-file.ts';

/** All bytes of one of a skill's files. `undefined` and errors as for `openListedFile`. */
export async function readListedFile(
  skill: Pick<Skill, 'root'>,
  file: SkillFile,
): Promise<Buffer | undefined> {
  const opened = await openListedFile(skill, file);
  if (opened === undefined) return undefined;
  try {
    const pieces: Buffer[] = [];
    for await (const piece of opened.pieces()) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await opened.close();
  }
}
