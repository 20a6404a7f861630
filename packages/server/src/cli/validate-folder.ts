import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { liesWithin, type SkillValidation, validateSkill } from '@ambit/core';

/** What is wrong with one folder. Only errors make it invalid. */
export interface ValidatedFolder extends SkillValidation {
  folder: string;
}

/** As much of a SKILL.md or an ambit.yaml as is ever read. */
const fileBytesMax = 1024 * 1024;

/** The skill folders at a place: itself, or those directly below. Itself too when there are none, to be told so. */
export async function skillFolders(place: string): Promise<string[]> {
  if (await hasSkillFile(place)) return [place];
  const names = await readdir(place).catch(() => []);
  const folders: string[] = [];
  for (const name of names.sort()) {
    if (await hasSkillFile(join(place, name))) folders.push(join(place, name));
  }
  return folders.length > 0 ? folders : [place];
}

/** Reads a folder and checks it by core's strict rules. A folder that cannot be read has that for an error. */
export async function validateFolder(folder: string): Promise<ValidatedFolder> {
  if (!(await hasSkillFile(folder))) {
    return {
      folder,
      errors: ['there is no SKILL.md here, and none in a folder directly below'],
      warnings: [],
    };
  }
  try {
    const files = await listFiles(folder);
    const hasSidecar = files.some(({ path }) => path === 'ambit.yaml');
    const checked = validateSkill({
      name: basename(folder),
      files,
      skillMd: await smallFile(folder, 'SKILL.md'),
      sidecar: hasSidecar ? await smallFile(folder, 'ambit.yaml') : undefined,
    });
    return { folder, ...checked };
  } catch (error) {
    return { folder, errors: [`it cannot be read: ${(error as Error).message}`], warnings: [] };
  }
}

async function hasSkillFile(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'SKILL.md')).catch(() => undefined))?.isFile() ?? false;
}

async function listFiles(folder: string): Promise<{ path: string; leavesFolder: boolean }[]> {
  const root = await realpath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return Promise.all(
    files.map(async (entry) => {
      const place = join(entry.parentPath, entry.name);
      const target = entry.isSymbolicLink() ? await realpath(place).catch(() => undefined) : place;
      return {
        path: relative(root, place).split(sep).join('/'),
        leavesFolder: target === undefined || !liesWithin(target, root),
      };
    }),
  );
}

async function smallFile(folder: string, name: string): Promise<string> {
  const { size } = await stat(join(folder, name));
  if (size > fileBytesMax) throw new Error(`${name} has ${size} bytes; at most ${fileBytesMax} are read`);
  return readFile(join(folder, name), 'utf8');
}
