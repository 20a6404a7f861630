import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import type { CheckedFile, SkillFolder } from '@ambit/core/inspect';
import { liesWithin } from '@ambit/core/policy';
import { isHiddenPath } from '@ambit/core/skill';
import {
  type FolderEntry,
  listFolder,
  moduleBytesMax,
  moduleSurface,
  readOrdinaryFile,
  whyNotCoreModule,
} from '@ambit/runtime';

/** The contents of a skill folder, or why it cannot be read. */
export type ReadFolder = { folder: SkillFolder; entries: readonly FolderEntry[] } | { problem: string };

/** The size limit of SKILL.md and ambit.yaml. */
const fileBytesMax = 1024 * 1024;

/** Reads a folder for strict validation. Lists its files like the catalog does. Never rejects. */
export async function readFolder(place: string): Promise<ReadFolder> {
  const skillFile = await stat(join(place, 'SKILL.md')).catch(() => undefined);
  if (skillFile?.isFile() !== true) {
    const names = await readdir(place).catch(() => []);
    const misnamed = names.find((name) => name.toLowerCase() === 'skill.md');
    if (misnamed !== undefined)
      return { problem: `the folder contains ${misnamed}, which many tools ignore; rename it to SKILL.md` };
    return { problem: 'no SKILL.md here or in a folder directly below' };
  }
  try {
    const root = await realpath(place);
    const { entries, hidden } = await listFolder(root);
    const files: CheckedFile[] = [];
    for (const entry of entries) files.push(await checkedFile(root, entry));
    const hasSidecar = entries.some(({ path }) => path === 'ambit.yaml');
    const skillMd = await smallFile(root, 'SKILL.md');
    const sidecar = hasSidecar ? await smallFile(root, 'ambit.yaml') : undefined;
    return { folder: { name: basename(place), files, hidden, skillMd, sidecar }, entries };
  } catch (error) {
    const { message } = error as Error;
    return { problem: error instanceof SkillError ? message : `cannot be read: ${message}` };
  }
}

async function checkedFile(root: string, { path, bytes, link }: FolderEntry): Promise<CheckedFile> {
  const place = join(root, path);
  if (link !== undefined) {
    const target = await realpath(place).catch(() => undefined);
    const leavesFolder = target === undefined || !liesWithin(target, root);
    const leadsToHidden = !leavesFolder && isHiddenPath(relative(root, target));
    return { path, isLink: true, leavesFolder, leadsToHidden };
  }
  const module = path.endsWith('.wasm') ? await checkedModule(place, bytes) : {};
  return { path, isLink: false, leavesFolder: false, ...module };
}

async function checkedModule(place: string, bytes: number): Promise<Partial<CheckedFile>> {
  if (bytes > moduleBytesMax)
    return { noModule: `is larger than ${moduleBytesMax / 2 ** 20} MiB, the maximum` };
  const content = await readOrdinaryFile(place);
  const noModule = whyNotCoreModule(content);
  return noModule === undefined ? { module: moduleSurface(content) } : { noModule };
}

/** Refuses links, as loading does: a link could make Ambit read and quote a file outside the skill. */
async function smallFile(root: string, name: string): Promise<string> {
  const stats = await lstat(join(root, name));
  if (!stats.isFile()) throw new Error(`${name} is not a regular file; links are not followed`);
  if (stats.size > fileBytesMax) {
    throw new Error(`${name} has ${stats.size} bytes; the maximum is ${fileBytesMax}`);
  }
  return (await readOrdinaryFile(join(root, name))).toString();
}
