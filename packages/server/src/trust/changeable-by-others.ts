import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from './shell-word.ts';

const writableByOthers = 0o022;
/** In such a folder, only the owner of an entry can replace it. */
const sticky = 0o1000;
/** As many links as Linux follows. */
const linksMax = 40;

/**
 * Says how users other than this one and root can change what is at an absolute path, and the command that ends it;
 * `undefined`: they cannot. The file, the folders above it and the links on the way to it must belong to this user or to root.
 * Rejects as `lstat` does, and for a link to nothing.
 */
export async function changeableByOthers(
  path: string,
): Promise<{ reason: string; command: string } | undefined> {
  const own: readonly (number | undefined)[] = [process.geteuid?.(), 0];
  const found = await placesOnTheWay(path);
  const foreign = found.filter(({ stats }) => !own.includes(stats.uid));
  const [first] = foreign;
  if (first !== undefined)
    return {
      reason: `${first.path} belongs to another user (uid ${first.stats.uid})`,
      command: `chown -h ${process.geteuid?.()} ${words(foreign)}`,
    };
  const open = found.filter(({ stats }) => isOpen(stats));
  const [place] = open;
  return (
    place && {
      reason: `other users can write ${place.path} (mode ${(place.stats.mode & 0o7777).toString(8)})`,
      command: `chmod go-w ${words(open)}`,
    }
  );
}

interface Place {
  path: string;
  stats: Stats;
}

/** The folders, links and files on the way to an absolute path, by their real paths. */
async function placesOnTheWay(path: string): Promise<Place[]> {
  const found = [{ path: '/', stats: await lstat('/') }];
  let folder = '/';
  let links = 0;
  /** The names in `rest` that a link has. */
  let linked = 0;
  for (let rest = path.split('/'); rest.length > 0; ) {
    const [name = '', ...below] = rest;
    const place = join(folder, name);
    const isLinked = linked > 0;
    linked = Math.max(0, linked - 1);
    rest = below;
    if (name === '..') folder = place;
    if (['', '.', '..'].includes(name)) continue;
    const stats = await lstat(place).catch((cause: Error) => {
      throw isLinked
        ? new Error(`a link on the way to it leads to ${place}, which does not exist`, { cause })
        : cause;
    });
    found.push({ path: place, stats });
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > linksMax) throw new Error('too many symbolic links lead to it');
      const target = await readlink(place);
      const names = target.split('/');
      if (target.startsWith('/')) folder = '/';
      rest = [...names, ...rest];
      linked += names.length;
    } else folder = place;
  }
  return found;
}

/** A link has no permissions of its own: only its folder's count. */
function isOpen(stats: Stats): boolean {
  if (stats.isSymbolicLink() || (stats.mode & writableByOthers) === 0) return false;
  return !(stats.isDirectory() && (stats.mode & sticky) !== 0);
}

function words(places: readonly Place[]): string {
  return [...new Set(places.map(({ path }) => shellWord(path)))].join(' ');
}
