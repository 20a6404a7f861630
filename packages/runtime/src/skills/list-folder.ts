import type { BigIntStats } from 'node:fs';
import { SkillError } from '@ambit/core';
import { isHiddenName } from '@ambit/core/internal';
import { type Disk, patientDisk } from './disk.ts';
import { isSettled } from './settled.ts';
import { type Stamp, stampOf, textOf } from './stamp.ts';

/** One file below a folder, as it is listed; links are listed and never followed. */
export interface FolderEntry {
  /** Relative, with forward slashes. */
  path: string;
  bytes: number;
  /** Where a symbolic link points; its digest is over this text. */
  link: string | undefined;
}

/** A folder's files, and what changes when any of them does. */
export interface FolderListing {
  entries: readonly FolderEntry[];
  /** Paths of hidden files and folders. They are not part of the skill, and nothing else of them is read. */
  hidden: readonly string[];
  /** Of every folder, itself included, and every file, as they were met. Two listings with equal stamps are equal. */
  stamps: readonly Stamp[];
  /** Whether an edit from now on would change the stamps; not so within moments of the last one. */
  settled: boolean;
}

/** Where a caller has looked at the folder itself already. */
export interface FolderStats {
  stats: BigIntStats;
  /** Before it looked; see `Disk.now`. */
  atMs: number;
}

const bounds = { files: 10_000, depth: 32, bytes: 512 * 1024 * 1024 };

/**
 * Lists every file below `root` that is not hidden, in order of path. Folders have stamps as files have, so that no edit, not
 * even one that puts another folder in one's place, goes unseen. What changes in a hidden folder changes nothing.
 *
 * Throws `SKILL_INVALID` when the folder is larger than a skill has any reason to be, or holds something that is
 * neither a file, a folder nor a link.
 */
export async function listFolder(
  root: string,
  disk: Disk = patientDisk,
  glance?: FolderStats,
): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  const hidden: string[] = [];
  const stamps: Stamp[] = [];
  const startedMs = glance?.atMs ?? disk.now();
  let bytes = 0;
  let newestNs = 0n;

  const visit = async (folder: string, at: string, own: BigIntStats, depth: number): Promise<void> => {
    if (depth > bounds.depth) throw tooLarge(`is nested more than ${bounds.depth} deep at ${folder}`);
    stamps.push(stampOf(at, own));
    if (own.ctimeNs > newestNs) newestNs = own.ctimeNs;
    for (const name of await disk.names(at, own)) {
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
        throw tooLarge(`holds ${JSON.stringify(path)}, which is no ordinary file`);
      if (name.includes('\n'))
        throw tooLarge(`holds a file with a line break in its name: ${JSON.stringify(path)}`);
      const link = stats.isSymbolicLink() ? await disk.readlink(place) : undefined;
      bytes += Number(stats.size);
      if (bytes > bounds.bytes) throw tooLarge(`holds more than ${bounds.bytes} bytes`);
      if (entries.push({ path, bytes: Number(stats.size), link }) > bounds.files) {
        throw tooLarge(`holds more than ${bounds.files} files`);
      }
      if (stats.ctimeNs > newestNs) newestNs = stats.ctimeNs;
      stamps.push(stampOf(place, stats));
    }
  };

  await visit('', root, glance?.stats ?? (await disk.lstat(root)), 0);
  return { entries, hidden, stamps, settled: isSettled(newestNs, startedMs) };
}

/** A listing as a text to be compared: it changes when any file does. */
export function signatureOf({ stamps }: FolderListing): string {
  return stamps.map(textOf).join('\n');
}

function tooLarge(what: string): SkillError {
  return new SkillError('SKILL_INVALID', `the folder ${what}; it is not read`);
}
