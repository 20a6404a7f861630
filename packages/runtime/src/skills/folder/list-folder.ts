import type { BigIntStats } from 'node:fs';
import { SkillError } from '@ambit/core';
import { isHiddenName, isInnerSkill } from '@ambit/core/skill';
import { asyncDisk, type Disk } from './disk.ts';
import { isSettled, type Stamp, stampOf, textOf } from './stamp.ts';

/** A file below a folder. Links are listed and never followed. */
export interface FolderEntry {
  /** Relative, with forward slashes. */
  path: string;
  bytes: number;
  /** The target of a symbolic link, which its digest covers. */
  link: string | undefined;
}

/** The files of a folder, and stamps that change with them. */
export interface FolderListing {
  entries: readonly FolderEntry[];
  /**
   * Paths of hidden files and folders. They are not part of the skill and not inspected further.
   */
  hidden: readonly string[];
  /**
   * Stamps of the folder, its subfolders and all files, in the order visited. Two listings with
   * equal stamps are equal.
   */
  stamps: readonly Stamp[];
  /** Whether a later edit would change the stamps. False just after an edit. */
  settled: boolean;
}

const bounds = { files: 10_000, depth: 32, bytes: 512 * 1024 * 1024 };

/**
 * Lists every file below `root` that is neither hidden nor in a skill of its own (`isInnerSkill`), sorted by path. Folders have stamps like files,
 * so every edit is detected, including replacing a folder with another. Changes inside a hidden
 * folder are ignored.
 *
 * Throws `SKILL_INVALID` if the folder exceeds `bounds` or contains anything other than files,
 * folders and links.
 */
export async function listFolder(root: string, disk: Disk = asyncDisk): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  const hidden: string[] = [];
  const stamps: Stamp[] = [];
  const startedMs = disk.now();
  let bytes = 0;
  let newestNs = 0n;

  const visit = async (folder: string, at: string, own: BigIntStats, depth: number): Promise<void> => {
    if (depth > bounds.depth)
      throw invalidFolder(`is nested more than ${bounds.depth} levels deep at ${folder}`);
    stamps.push(stampOf(at, own));
    if (own.ctimeNs > newestNs) newestNs = own.ctimeNs;
    const names = await disk.names(at, own);
    // Its stamp is listed, so that it becomes part of this skill when its SKILL.md is removed.
    if (isInnerSkill(folder, names)) return;
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isHiddenName(name)) {
        hidden.push(path);
        continue;
      }
      const place = `${at}/${name}`;
      const stats = await disk.lstat(place);
      if (stats.isDirectory()) {
        await visit(path, place, stats, depth + 1);
        continue;
      }
      if (!stats.isFile() && !stats.isSymbolicLink())
        throw invalidFolder(`contains ${JSON.stringify(path)}, which is not a regular file`);
      if (name.includes('\n'))
        throw invalidFolder(`contains a file with a line break in its name: ${JSON.stringify(path)}`);
      const link = stats.isSymbolicLink() ? await disk.readlink(place) : undefined;
      bytes += Number(stats.size);
      if (bytes > bounds.bytes) throw invalidFolder(`has more than ${bounds.bytes} bytes`);
      if (entries.push({ path, bytes: Number(stats.size), link }) > bounds.files) {
        throw invalidFolder(`has more than ${bounds.files} files`);
      }
      if (stats.ctimeNs > newestNs) newestNs = stats.ctimeNs;
      stamps.push(stampOf(place, stats));
    }
  };

  await visit('', root, await disk.lstat(root), 0);
  return { entries, hidden, stamps, settled: isSettled(newestNs, startedMs) };
}

/** A listing as text to compare: it changes with any file. Begins with the folder's path and NUL. */
export function signatureOf({ stamps }: FolderListing): string {
  return stamps.map(textOf).join('\n');
}

function invalidFolder(what: string): SkillError {
  return new SkillError('SKILL_INVALID', `the folder ${what}`);
}
