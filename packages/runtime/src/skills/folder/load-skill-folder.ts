import { basename } from 'node:path';
import { type BrokenSkill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import { asyncDisk, type Disk, isGone } from './disk.ts';
import { type FolderListing, signatureOf } from './list-folder.ts';
import { ParsedElsewhere, type ParsesInline, type ReadSkill, readSkillFolder } from './read-skill-folder.ts';

/** The result of reading one folder. */
export type LoadResult =
  | { read: ReadSkill }
  /** `signature` is absent if a later edit might not change it. */
  | { broken: BrokenSkill; signature?: string };

/** The signature of a folder that counts as read until it changes. `undefined`: it must be read again. */
export function settledSignature(loaded: LoadResult): string | undefined {
  if ('broken' in loaded) return loaded.signature;
  return loaded.read.settled ? loaded.read.signature : undefined;
}

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
  let listing: FolderListing | undefined;
  const read = (): Promise<LoadResult> => {
    listing = undefined;
    return readSkillFolder(root, tier, disk, parsesInline, (listed) => {
      listing = listed;
    }).then((skill) => ({ read: skill }));
  };
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
    const broken = { id: basename(root), root, problem: truncate(problem) };
    return listing?.settled === true ? { broken, signature: signatureOf(listing) } : { broken };
  }
}

function truncate(problem: string): string {
  if (problem.length <= problemCharactersMax) return problem;
  return `${problem.slice(0, problemCharactersMax)}…; "ambit skills validate" shows the full message`;
}
