import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { liesWithin } from '@ambit/core/policy';
import { isMoved, notHidden } from '../sandbox/pins.ts';
import type { Pin } from '../sandbox/sandbox.ts';
import { symlinksIn } from '../symlinks-in.ts';
import { type HostUser, hostUser } from './host-user.ts';

/**
 * The real paths of pins. Throws `SANDBOX_UNAVAILABLE` if one leads elsewhere now: the file itself would be visible at
 * another path. Also throws for a file with hard links.
 */
export async function checkedPins(pins: readonly Pin[], user: HostUser): Promise<string[]> {
  const paths: string[] = [];
  for (const pin of pins) {
    if (isMoved(pin))
      throw notHidden(
        `${pin.path} is not the file or folder that it was when Ambit read its configuration`,
        'find out who replaced it. Then run "ambit config reload", or restart the daemon if it is a folder',
      );
    const { found } = pin;
    if (found === undefined) continue;
    for (const file of linkedFiles(found.real))
      throw notHidden(`${file} has other names (hard links)`, 'remove them: find FOLDER -samefile FILE');
    await checkLinks([pin.path], user);
    paths.push(found.real);
  }
  return paths;
}

/**
 * Throws `SANDBOX_UNAVAILABLE` if `user` may replace a symlink on the way to a path: a later call would protect what the
 * link leads to then. A link within a protected folder cannot be replaced.
 */
export async function checkLinks(
  paths: readonly string[],
  user: HostUser,
  protectedFolders: readonly string[] = [],
): Promise<void> {
  for (const link of (await Promise.all(paths.map(symlinksIn))).flat())
    if (
      !protectedFolders.some((folder) => liesWithin(link, folder)) &&
      mayWrite(user, statSync(dirname(link)))
    )
      throw notHidden(
        `${user.name} may replace the symlink ${link}`,
        'write the real path into the configuration',
      );
}

/** The symlinks in folders. A folder of skills may have links to skills elsewhere. */
export function linksIn(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const real = realPath(folder);
    if (real === undefined || !statSync(real).isDirectory()) return [];
    return readdirSync(real, { withFileTypes: true }).flatMap((entry) =>
      entry.isSymbolicLink() ? [join(real, entry.name)] : [],
    );
  });
}

/** A path without symlinks; `undefined` if it does not exist, or if this process cannot reach it. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Whether `user` can certainly not enter a folder above `path`, which then needs no hiding. */
export function isOutOfReach(path: string, user: HostUser): boolean {
  return foldersAbove(path).some((folder) => {
    const { uid, mode } = statSync(folder);
    // The bits of the group also bound every user in an access control list.
    return uid !== user.uid && (mode & 0o011) === 0;
  });
}

/** A folder above `path` that `user` may be unable to enter, so that nothing below can be hidden as that user. */
export function doubtfulFolder(path: string, user: HostUser): string | undefined {
  return foldersAbove(path).find((folder) => !has(user, statSync(folder), 0o1));
}

/** The folders above a path, from the nearest to the one in the root. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

/** Whether `path` is a folder that `user` can enter. */
export function mayEnter(path: string, user: HostUser): boolean {
  try {
    const stats = statSync(path);
    return stats.isDirectory() && has(user, stats, 0o1) && doubtfulFolder(path, user) === undefined;
  } catch {
    return false;
  }
}

/** Whether `user` can create a missing path, as far as permissions say. */
export function mayCreate(path: string, user: HostUser): boolean {
  let above = dirname(path);
  while (above !== '/' && statSync(above, { throwIfNoEntry: false }) === undefined) above = dirname(above);
  return mayWrite(user, statSync(above));
}

/** Its owner can give itself the right, and the bits of the group also bound every user in an access control list. */
function mayWrite({ uid }: HostUser, stats: Stats): boolean {
  return stats.uid === uid || (stats.mode & 0o022) !== 0;
}

/**
 * The folder, or the path itself, where a user of that name can replace what a path leads to; `undefined`: nowhere, or
 * there is no such user.
 */
export function replaceableBy(name: string, path: string): string | undefined {
  const user = hostUser(name);
  if (user === undefined) return undefined;
  const paths = [path, realPath(path) ?? path];
  return paths.concat(paths.flatMap(foldersAbove)).find((each) => {
    const stats = statSync(each, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    // In a folder with the sticky bit, only its owner and the owner of an entry replace that.
    const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
    return stats.uid === user.uid || (!isSticky && has(user, stats, 0o2));
  });
}

function has({ uid, groups }: HostUser, stats: Stats, bit: number): boolean {
  const shift = stats.uid === uid ? 6 : groups.includes(stats.gid) ? 3 : 0;
  return ((stats.mode >> shift) & bit) !== 0;
}

/** A file with several names, or such files in a folder, without folders below. */
function linkedFiles(path: string): string[] {
  const own = lstatSync(path);
  const files = own.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  return files.filter((file) => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.nlink > 1;
  });
}

/** Paths that are not within another one of them. */
export function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter(
    (path) => !paths.some((other) => other !== path && liesWithin(path, other)),
  );
}
