import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const writableByAll = 0o002;

/**
 * Whose a configuration file is that is merely found. In a folder where anybody can put files, as /tmp, it is read only when
 * it belongs to this user or to root: a configuration names commands, which would be somebody else's. One that is not there
 * yet is none: what another puts there a moment later has not been looked at.
 */
export async function foundFile(path: string): Promise<'usable' | 'foreign' | 'none'> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  // One of a folder that cannot be looked at cannot be read either, and that is said by whoever tries.
  if (folder === undefined || process.getuid === undefined) return 'usable';
  if ((folder.mode & writableByAll) === 0) return 'usable';
  const ours: readonly number[] = [process.getuid(), 0];
  const places = await Promise.all([lstat(path), stat(path)]).catch(() => undefined);
  if (places === undefined) return 'none';
  return places.every(({ uid }) => ours.includes(uid)) ? 'usable' : 'foreign';
}
