import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import { type CheckedFile, isHiddenPath, liesWithin, type SkillFolder } from '@ambit/core/internal';
import {
  type FolderEntry,
  listFolder,
  moduleBytesMax,
  moduleSurface,
  readOrdinaryFile,
  whyNotCoreModule,
} from '@ambit/runtime';

/** A skill's folder, read; or why it cannot be, in one sentence. */
export type ReadFolder = { folder: SkillFolder; entries: readonly FolderEntry[] } | { problem: string };

/** As much of a SKILL.md or an ambit.yaml as is ever read. */
const fileBytesMax = 1024 * 1024;

/** Reads a folder as strict checking wants it. Its files are listed as loading lists them. Never rejects. */
export async function readFolder(place: string): Promise<ReadFolder> {
  const skillFile = await stat(join(place, 'SKILL.md')).catch(() => undefined);
  if (skillFile?.isFile() !== true) {
    const names = await readdir(place).catch(() => []);
    const misnamed = names.find((name) => name.toLowerCase() === 'skill.md');
    if (misnamed !== undefined)
      return { problem: `it has ${misnamed}, which is not read; rename it to SKILL.md` };
    return { problem: 'there is no SKILL.md here, and none in a folder directly below' };
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
    return { problem: error instanceof SkillError ? message : `it cannot be read: ${message}` };
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
  if (bytes > moduleBytesMax) return { noModule: `is no file of at most ${moduleBytesMax / 2 ** 20} MiB` };
  const content = await readOrdinaryFile(place);
  const noModule = whyNotCoreModule(content);
  return noModule === undefined ? { module: moduleSurface(content) } : { noModule };
}

/** A link would have somebody else's file read and quoted; loading refuses it too. */
async function smallFile(root: string, name: string): Promise<string> {
  const stats = await lstat(join(root, name));
  if (!stats.isFile()) throw new Error(`${name} is not a file of its own; a link is not followed`);
  if (stats.size > fileBytesMax) {
    throw new Error(`${name} has ${stats.size} bytes; at most ${fileBytesMax} are read`);
  }
  return (await readOrdinaryFile(join(root, name))).toString();
}
