import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { issueText, type SkillIssue } from '@ambit/core/internal';
import { type FolderEntry, isThere, listFolder } from '@ambit/runtime';
import { MergeError } from './merge-error.ts';

/** A learned folder that is not merged, and every reason. */
export interface RefusedFolder {
  /** Its name in the source. */
  id: string;
  problems: string[];
}

/** Checks a skill folder strictly, and resolves to its errors. */
export type CheckFolder = (folder: string) => Promise<readonly SkillIssue[]>;

/**
 * Copies the learned skills of a folder, or the one that it is, into `staging`, and tells which it refused. They are
 * other people's text: a link is never followed, and it is the copy that is checked, so that what is merged later is what
 * was looked at, whatever happens to the source meanwhile. What is refused may be left half copied.
 *
 * Throws a `MergeError` when the source is no folder or holds no skill.
 */
export async function copyLearned(
  source: string,
  staging: string,
  check: CheckFolder,
): Promise<RefusedFolder[]> {
  const root = await realpath(source).catch(() => undefined);
  const found = root === undefined ? [] : await learnedFolders(root);
  if (found.length === 0) {
    throw new MergeError(
      `there are no learned skills at ${source}: give a folder with a SKILL.md, or one of such folders; ambit import makes folders of other formats`,
    );
  }
  const refused: RefusedFolder[] = [];
  for (const { id, place } of found) {
    const problems = await copied(place, join(staging, id), check);
    if (problems.length > 0) refused.push({ id, problems });
  }
  return refused;
}

interface LearnedFolder {
  id: string;
  place: string;
}

async function learnedFolders(root: string): Promise<LearnedFolder[]> {
  if (await isThere(join(root, 'SKILL.md'))) return [{ id: basename(root), place: root }];
  const folders: LearnedFolder[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    if (name.startsWith('.')) continue;
    if (await isThere(join(root, name, 'SKILL.md'))) folders.push({ id: name, place: join(root, name) });
  }
  return folders;
}

/** Copies one folder and checks the copy; resolves to what speaks against it. */
async function copied(place: string, target: string, check: CheckFolder): Promise<string[]> {
  if ((await lstat(place)).isSymbolicLink()) return ['the folder is a link; put the folder itself there'];
  try {
    const { entries } = await listFolder(place);
    const links = entries.filter(({ link }) => link !== undefined);
    if (links.length > 0)
      return links.map(({ path }) => `${path}: a link is not merged; put the file itself there`);
    for (const entry of entries) await copyFile(place, target, entry);
    return (await check(target)).map(issueText);
  } catch (error) {
    return [(error as Error).message];
  }
}

async function copyFile(from: string, to: string, { path, bytes }: FolderEntry): Promise<void> {
  // Whoever wrote the folder may still be writing: a file that has become a link or a pipe since is not opened.
  const file = await open(join(from, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== bytes)
      throw new Error(`${path} changed while it was read; try again`);
    await mkdir(dirname(join(to, path)), { recursive: true });
    const mode = (stats.mode & 0o100) === 0 ? 0o644 : 0o755;
    await writeFile(join(to, path), await file.readFile(), { flag: 'wx', mode });
  } finally {
    await file.close();
  }
}
