import { basename } from 'node:path';
import { type BrokenSkill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import { asyncDisk, type Disk, isGone } from './disk.ts';
import { ParsedElsewhere, type ParsesInline, type ReadSkill, readSkillFolder } from './read-skill-folder.ts';

/** The result of reading one folder. */
export type LoadResult = { read: ReadSkill } | { broken: BrokenSkill };

/**
 * Limits the message about one folder: it can quote the folder's files and be longer than they are.
 */
const problemCharactersMax = 4000;

/**
 * Reads a folder, valid or not. A folder that vanishes meanwhile is reported as broken, so it
 * cannot end a scan. Never rejects.
 */
export async function loadSkillFolder(root: string, tier: Tier, disk: Disk = asyncDisk): Promise<LoadResult> {
  return (await loadIfCheap(root, tier, disk)) as LoadResult;
}

/**
 * Like `loadSkillFolder`, but `undefined` for a folder whose YAML `parsesInline` leaves to another
 * thread.
 */
export async function loadIfCheap(
  root: string,
  tier: Tier,
  disk: Disk,
  parsesInline?: ParsesInline,
): Promise<LoadResult | undefined> {
  const read = (): Promise<LoadResult> =>
    readSkillFolder(root, tier, disk, parsesInline).then((skill) => ({ read: skill }));
  try {
    return await read().catch((error: unknown) => {
      // An editor that saves by renaming removes the listed file and has already put the new one in
      // its place.
      if (isGone(error)) return read();
      throw error;
    });
  } catch (error) {
    if (error instanceof ParsedElsewhere) return undefined;
    const problem =
      error instanceof SkillError ? error.message : `it cannot be read: ${(error as Error).message}`;
    return { broken: { id: basename(root), root, problem: truncate(problem) } };
  }
}

function truncate(problem: string): string {
  if (problem.length <= problemCharactersMax) return problem;
  return `${problem.slice(0, problemCharactersMax)}…; "ambit skills validate" shows the full message`;
}
