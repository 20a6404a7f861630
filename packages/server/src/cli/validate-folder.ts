import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CheckedFile, liesWithin, SkillError, type SkillValidation, validateSkill } from '@ambit/core';
import { type FolderEntry, listFolder, moduleBytesMost, whyNotCoreModule } from '@ambit/runtime';

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
    const files = await checkedFiles(folder);
    const hasSidecar = files.some(({ path }) => path === 'ambit.yaml');
    const checked = validateSkill({
      name: basename(folder),
      files,
      skillMd: await smallFile(folder, 'SKILL.md'),
      sidecar: hasSidecar ? await smallFile(folder, 'ambit.yaml') : undefined,
    });
    return { folder, ...checked };
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof SkillError ? message : `it cannot be read: ${message}`;
    return { folder, errors: [problem], warnings: [] };
  }
}

async function hasSkillFile(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'SKILL.md')).catch(() => undefined))?.isFile() ?? false;
}

/** Its files as loading lists them, which refuses a folder with anything else in it. */
async function checkedFiles(folder: string): Promise<CheckedFile[]> {
  const root = await realpath(folder);
  const { entries } = await listFolder(root);
  const files: CheckedFile[] = [];
  for (const entry of entries) files.push(await checkedFile(root, entry));
  return files;
}

async function checkedFile(root: string, { path, bytes, link }: FolderEntry): Promise<CheckedFile> {
  const place = join(root, path);
  if (link !== undefined) {
    const target = await realpath(place).catch(() => undefined);
    return { path, isLink: true, leavesFolder: target === undefined || !liesWithin(target, root) };
  }
  const noModule = path.endsWith('.wasm') ? await whyNoModule(place, bytes) : undefined;
  return { path, isLink: false, leavesFolder: false, noModule };
}

async function whyNoModule(place: string, bytes: number): Promise<string | undefined> {
  if (bytes > moduleBytesMost) return `is no file of at most ${moduleBytesMost / 2 ** 20} MiB`;
  return whyNotCoreModule(await readFile(place));
}

async function smallFile(folder: string, name: string): Promise<string> {
  const { size } = await stat(join(folder, name));
  if (size > fileBytesMax) throw new Error(`${name} has ${size} bytes; at most ${fileBytesMax} are read`);
  return readFile(join(folder, name), 'utf8');
}
