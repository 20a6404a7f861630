import { basename } from 'node:path';
import { type BrokenSkill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import { type Disk, patientDisk } from './disk.ts';
import { isGone } from './is-gone.ts';
import { ParsedElsewhere, type ParsesHere, type ReadSkill, readSkillFolder } from './read-skill-folder.ts';

/** What one folder turned out to be. */
export type Loaded = { read: ReadSkill } | { broken: BrokenSkill };

/** As much as is told of one folder: its files can make a sentence as long as themselves, and longer. */
const problemCharactersMax = 4000;

/**
 * Reads a folder, whatever it holds. One that vanishes while it is read is as unusable as one that is wrong; neither may
 * end a scan. Never rejects.
 */
export async function loadSkillFolder(root: string, tier: Tier, disk: Disk = patientDisk): Promise<Loaded> {
  return (await loadCheapFolder(root, tier, disk)) as Loaded;
}

/** The same; `undefined` for a folder whose YAML `parsesHere` leaves to another thread. */
export async function loadCheapFolder(
  root: string,
  tier: Tier,
  disk: Disk,
  parsesHere?: ParsesHere,
): Promise<Loaded | undefined> {
  const read = (): Promise<Loaded> =>
    readSkillFolder(root, tier, disk, parsesHere).then((skill) => ({ read: skill }));
  try {
    return await read().catch((error: unknown) => {
      // An editor that saves by renaming takes away what was listed a moment ago; the new file is there at once.
      if (isGone(error)) return read();
      throw error;
    });
  } catch (error) {
    if (error instanceof ParsedElsewhere) return undefined;
    const problem =
      error instanceof SkillError ? error.message : `it cannot be read: ${(error as Error).message}`;
    return { broken: { id: basename(root), root, problem: shortened(problem) } };
  }
}

function shortened(problem: string): string {
  if (problem.length <= problemCharactersMax) return problem;
  return `${problem.slice(0, problemCharactersMax)}…; "ambit skills validate" shows all of it`;
}
