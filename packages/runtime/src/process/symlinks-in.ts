import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

/** The number of symlinks that the kernel follows (path_resolution(7)). */
const linksMax = 40;

/**
 * The symlinks on the way along an absolute path, each by its real path. Empty if there are none or
 * the path does not exist.
 */
export async function symlinksIn(path: string): Promise<string[]> {
  const links: string[] = [];
  let current = '/';
  for (const left = path.split('/'); left.length > 0 && links.length < linksMax; ) {
    const name = left.shift() ?? '';
    if (name === '..') current = dirname(current);
    if (name === '' || name === '.' || name === '..') continue;
    const next = join(current, name);
    const to = await readlink(next).catch(() => undefined);
    if (to === undefined) {
      current = next;
      continue;
    }
    links.push(next);
    if (isAbsolute(to)) current = '/';
    left.unshift(...to.split('/'));
  }
  return links;
}
