import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const writableByAll = 0o002;

/**
 * Why a configuration file that is merely found is not read; `undefined` when it may be, or is not there. In a folder
 * where anybody can put files, as /tmp, it has to belong to this user or to root: a configuration names commands, which
 * would be somebody else's.
 */
export async function whyForeign(path: string): Promise<string | undefined> {
  const ours: readonly (number | undefined)[] = [process.getuid?.(), 0];
  const there = await Promise.all([stat(dirname(path)), lstat(path), stat(path)]).catch(() => undefined);
  if (there === undefined || process.getuid === undefined) return undefined;
  const [folder, ...places] = there;
  if ((folder.mode & writableByAll) === 0 || places.every(({ uid }) => ours.includes(uid))) return undefined;
  return 'it belongs to another user, in a folder where anybody can put files; name it with --config if you mean it, or start elsewhere';
}
