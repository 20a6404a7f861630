import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trustedBefore } from '../trust/config-trust.ts';
import type { ConfigSources } from './config.ts';
import { configFileName } from './file/config-file.ts';

/**
 * Finds the nearest `ambit.config.yaml` in the folder or above it, up to the home folder. The file may be untrusted.
 */
export async function findConfig({
  cwd,
  home,
  dataHome,
}: Pick<ConfigSources, 'cwd' | 'home' | 'dataHome'>): Promise<string | undefined> {
  for (const folder of foldersUp(cwd, home)) {
    const path = join(folder, configFileName);
    // In the folder itself, return an inaccessible file too: reading it reports the error.
    if (!(await isThere(path, folder === cwd))) continue;
    if (folder === cwd || !(await isAnotherUsers(path)) || (await trustedBefore(dataHome, path))) return path;
  }
  return undefined;
}

/** The folder and its parents, nearest first, up to the home folder or the root. */
export function foldersUp(folder: string, home: string): string[] {
  const above = dirname(folder);
  return folder === home || above === folder ? [folder] : [folder, ...foldersUp(above, home)];
}

async function isThere(path: string, orUnknown: boolean): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return orUnknown && !['ENOENT', 'ENOTDIR'].includes(code);
  }
}

const writableByAll = 0o002;

/** Whether it is another user's file in a folder such as /tmp, where it would block every command in the folders below. */
async function isAnotherUsers(path: string): Promise<boolean> {
  const trustedUids: readonly (number | undefined)[] = [process.getuid?.(), 0];
  const places = await Promise.all([stat(dirname(path)), lstat(path), stat(path)]).catch(() => undefined);
  if (places === undefined || process.getuid === undefined) return false;
  const [folder, ...files] = places;
  return (folder.mode & writableByAll) !== 0 && files.some(({ uid }) => !trustedUids.includes(uid));
}
