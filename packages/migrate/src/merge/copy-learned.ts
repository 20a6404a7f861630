import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { issueText, type SkillIssue } from '@ambit/core/inspect';
import { UsageError } from '@ambit/core/outcome';
import { skillFileNames } from '@ambit/core/skill';
import { type FolderEntry, isThere, listFolder } from '@ambit/runtime';

/** A learned folder that is refused, and every reason. */
export interface RefusedFolder {
  /** Its name in the source. */
  id: string;
  problems: string[];
}

/** Validates a skill folder strictly and resolves to its errors. */
export type CheckFolder = (folder: string) => Promise<readonly SkillIssue[]>;

/**
 * Copies a learned skill, or a folder of them, into `staging`, and resolves to the refused ones. Learned
 * skills are untrusted: links are never followed, and the copy is checked, because the source can change
 * before the merge. A refused skill may be partially copied.
 *
 * Throws a `UsageError` if the source is not a folder or contains no skill.
 */
export async function copyLearned(
  source: string,
  staging: string,
  check: CheckFolder,
): Promise<RefusedFolder[]> {
  const root = await realpath(source).catch(() => undefined);
  const found = root === undefined ? [] : await learnedFolders(root);
  if (found.length === 0) {
    throw new UsageError(
      `${source} contains no skills: pass a folder with a SKILL.md, or a folder of such folders; "ambit import" converts other formats`,
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
  if (await isSkillFolder(root)) return [{ id: basename(root), place: root }];
  const folders: LearnedFolder[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    if (name.startsWith('.')) continue;
    if (await isSkillFolder(join(root, name))) folders.push({ id: name, place: join(root, name) });
  }
  return folders;
}

/** A folder with a `skill.md` counts too, so that strict validation names the file to rename. */
export async function isSkillFolder(folder: string): Promise<boolean> {
  for (const name of skillFileNames) if (await isThere(join(folder, name))) return true;
  return false;
}

/** Copies one folder and checks the copy; resolves to the problems. */
async function copied(place: string, target: string, check: CheckFolder): Promise<string[]> {
  if ((await lstat(place)).isSymbolicLink())
    return ['the folder is a symbolic link; replace it with the folder'];
  try {
    const { entries } = await listFolder(place);
    const links = entries.filter(({ link }) => link !== undefined);
    if (links.length > 0)
      return links.map(({ path }) => `${path}: symbolic links are refused; replace it with the file`);
    for (const entry of entries) await copyFile(place, target, entry);
    return (await check(target)).map(issueText);
  } catch (error) {
    return [(error as Error).message];
  }
}

async function copyFile(from: string, to: string, { path, bytes }: FolderEntry): Promise<void> {
  // The folder's author may still be writing. Does not open a file that has become a link or a pipe.
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
