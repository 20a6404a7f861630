import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

/** As many as the system follows (path_resolution(7)). */
const linksMax = 40;

/** The links through which an absolute path leads, each by its real place. Empty: it is where it says, or not there. */
export async function linksOn(path: string): Promise<string[]> {
  const links: string[] = [];
  let at = '/';
  for (const left = path.split('/'); left.length > 0 && links.length < linksMax; ) {
    const name = left.shift() ?? '';
    if (name === '..') at = dirname(at);
    if (name === '' || name === '.' || name === '..') continue;
    const place = join(at, name);
    const to = await readlink(place).catch(() => undefined);
    if (to === undefined) {
      at = place;
      continue;
    }
    links.push(place);
    if (isAbsolute(to)) at = '/';
    left.unshift(...to.split('/'));
  }
  return links;
}
