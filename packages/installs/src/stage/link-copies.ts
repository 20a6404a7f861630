import { isHiddenName, isHiddenPath } from '@ambit/core/skill';
import type { InstallError } from '../install-error.ts';
import { linkBounds, skillBounds } from '../source/source-bounds.ts';
import type { ListedEntry } from './listed-entry.ts';
import { liesBelow, parentOf } from './source-path.ts';

/** Makes the error for a skill from what is wrong with it, as the rest of a sentence about it. */
export type Refuse = (code: InstallError['code'], what: string) => InstallError;

/**
 * Lists what replaces a link of a skill: the file that it leads to, or the files below a folder. Paths are relative to the
 * skill. Throws what `refuse` makes.
 */
export type LinkCopies = (skill: string, refuse: Refuse) => (link: ListedEntry) => readonly ListedEntry[];

/**
 * Follows the links of a source's skills within that source, by its list of entries alone: no path is opened. Refused are
 * links that are absolute, lead out of the source, to a hidden file, to nothing or in a circle, and copies beyond the bounds
 * of a skill, or of all links of the source together.
 */
export function linkCopies(listed: readonly ListedEntry[]): LinkCopies {
  const targets = new Map(
    listed.flatMap(({ path, kind, target = '' }) => (kind === 'symlink' ? [[path, target] as const] : [])),
  );
  let sorted: readonly ListedEntry[] | undefined;
  const left = { steps: linkBounds.steps, bytes: linkBounds.bytes };

  return (skill, refuse) => {
    const copied = { files: 0, bytes: 0 };
    const start = skill === '' ? '' : `${skill}/`;
    const shown = (path: string): string =>
      path.slice(path.startsWith(start) ? start.length : 0).slice(0, 200);
    const unsafe = (path: string, flaw: string): InstallError =>
      refuse(
        'SKILL_UNSAFE_LINK',
        `has a link ${JSON.stringify(shown(path))} to ${JSON.stringify(targets.get(path)?.slice(0, 200))}, ${flaw}`,
      );
    const tooMuch = (): InstallError =>
      refuse(
        'SKILL_TOO_LARGE',
        `has links to too much: the links of a skill copy at most ${skillBounds.files} files and ${skillBounds.bytes} bytes, and all links of a source ${linkBounds.bytes} bytes`,
      );

    /** The path that a path of the source leads to; every link on the way is followed. */
    function realPath(path: string): string {
      let at = '';
      let followed = 0;
      const rest = path.split('/').reverse();
      for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
        if (--left.steps < 0) throw tooMuch();
        if (part === '' || part === '.') continue;
        if (part === '..') {
          if (at === '')
            throw unsafe(
              path,
              'which leads out of the source; name a larger source and the folder in it: SOURCE#:FOLDER',
            );
          at = parentOf(at);
          continue;
        }
        const parent = at;
        at = at === '' ? part : `${at}/${part}`;
        // Beside the folder with a tool's skills, such as .claude/skills, are its settings.
        const isHidden = isHiddenName(part) || isHiddenName(parent.slice(parent.lastIndexOf('/') + 1));
        if (isHidden && !liesBelow(skill, at))
          throw unsafe(path, 'which leads to a hidden file; such files are not part of a skill');
        const target = targets.get(at);
        if (target === undefined) continue;
        if (target.startsWith('/')) throw unsafe(path, 'which leads out of the source');
        if (++followed > linkBounds.followed) throw unsafe(path, 'which leads in a circle');
        rest.push(...target.split('/').reverse());
        at = parent;
      }
      return at;
    }

    /** The entries at a path and below it. Two files of one path are both here, and are refused later. */
    function entriesFrom(path: string): ListedEntry[] {
      sorted ??= listed.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
      const found: ListedEntry[] = [];
      for (const start of [path, `${path}/`])
        for (let at = firstFrom(sorted, start); ; at += 1) {
          const entry = sorted[at];
          if (entry === undefined) break;
          if (start === path ? entry.path !== path : !entry.path.startsWith(start)) break;
          if (--left.steps < 0) throw tooMuch();
          found.push(entry);
        }
      return found;
    }

    /** Copies with paths relative to the source. `above` are the links that lead here. */
    function copies(path: string, above: readonly string[]): ListedEntry[] {
      const real = realPath(path);
      const links = [...above, path];
      if (links.length > linkBounds.followed || links.some((link) => liesBelow(link, real)))
        throw unsafe(path, 'which leads in a circle');
      const found = entriesFrom(real);
      if (found.length === 0) throw unsafe(path, 'which is not a file of the source');
      return found.flatMap((entry): ListedEntry[] => {
        const rest = entry.path.slice(real.length);
        if (entry.kind === 'folder' || isHiddenPath(rest.slice(1))) return [];
        if (entry.kind === 'symlink')
          return copies(entry.path, links).map((each) => ({
            ...each,
            path: `${path}${rest}${each.path.slice(entry.path.length)}`,
          }));
        copied.files += 1;
        copied.bytes += entry.bytes;
        if (copied.files > skillBounds.files || copied.bytes > skillBounds.bytes) throw tooMuch();
        left.bytes -= entry.bytes;
        if (left.bytes < 0) throw tooMuch();
        return [{ ...entry, path: `${path}${rest}` }];
      });
    }

    return ({ path }) =>
      copies(`${start}${path}`, []).map((each) => ({ ...each, path: each.path.slice(start.length) }));
  };
}

/** The first of sorted entries whose path is not before `path`. */
function firstFrom(sorted: readonly ListedEntry[], path: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle]?.path ?? '') < path) from = middle + 1;
    else to = middle;
  }
  return from;
}
