import { foldersOf } from '@ambit/core/workspace';

/**
 * A path that collides with no path of `taken`, ignoring case: `a.md`, then `a-2.md`. Adds it to
 * `taken`. A path below another skill's file gets hyphens for its slashes.
 */
export function freePath(path: string, taken: Set<string>): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const isBelowFile = foldersOf(parts.join('/').toLowerCase()).some((folder) => taken.has(folder));
  const plain = parts.join(isBelowFile ? '-' : '/');
  const [, stem = plain, ending = ''] = /^(.*?)(\.[^./]*)?$/s.exec(plain) ?? [];
  let free = plain;
  for (let number = 2; isTaken(free, taken); number++) free = `${stem}-${number}${ending}`;
  for (const folder of foldersOf(free.toLowerCase())) taken.add(`${folder}/`);
  taken.add(free.toLowerCase());
  return free;
}

function isTaken(path: string, taken: ReadonlySet<string>): boolean {
  const name = path.toLowerCase();
  return taken.has(name) || taken.has(`${name}/`);
}
