import type { BigIntStats } from 'node:fs';
import type { Disk } from '../disk.ts';
import { listFolder } from '../list-folder.ts';
import { remembersNames } from '../remembered-names.ts';
import type { SkillRoot } from '../skill-root.ts';
import type { Stamp } from '../stamp.ts';
import { findSkillFolders, type Layout, type ScanLimits } from './find-skill-folders.ts';

/** What is different from the survey before. */
export interface ScanChanges {
  /** Absent: as it was. */
  layout?: Layout;
  /** Real paths of skill folders that may have changed. Empty, with no layout: nothing has. */
  stale: readonly string[];
}

/**
 * Looks through the same roots again and again and tells what to read. It knows by itself only how things looked, so a
 * folder counts as read as soon as it was called stale. No file is opened, and of folders only those are listed whose
 * own times have changed.
 */
export function surveyor(
  roots: readonly SkillRoot[],
  disk: Disk,
  reach: ScanLimits,
): () => Promise<ScanChanges> {
  const remembering = remembersNames(disk);
  let layout: Layout | undefined;
  /** By real path; absent where nothing can be told from them. */
  let before = new Map<string, readonly Stamp[]>();

  return async () => {
    const atMs = disk.now();
    const now = new Map<string, readonly Stamp[]>();
    const stale: string[] = [];
    const isUnchanged = async (root: string): Promise<boolean> => {
      const known = before.get(root);
      if (known === undefined || !(await disk.looksLike(known))) return false;
      now.set(root, known);
      return true;
    };
    const visit = async (root: string, stats: BigIntStats): Promise<void> => {
      // A link may have led here.
      if (await isUnchanged(root)) return;
      stale.push(root);
      const listing = await listFolder(root, remembering, { stats, atMs }).catch(() => undefined);
      if (listing?.settled === true) now.set(root, listing.stamps);
    };
    const found = await findSkillFolders(roots, remembering, reach, { isUnchanged, visit });
    before = now;
    remembering.forget();
    const moved = layout === undefined || !isSameLayout(layout, found);
    layout = found;
    return moved ? { layout, stale } : { stale };
  };
}

function isSameLayout(before: Layout, now: Layout): boolean {
  return (
    before.folders.length === now.folders.length &&
    before.problems.length === now.problems.length &&
    before.folders.every((each, at) => {
      const other = now.folders[at];
      return each.root === other?.root && each.place === other.place && each.from === other.from;
    }) &&
    before.problems.every((each, at) => {
      const other = now.problems[at];
      return each.root === other?.root && each.problem === other.problem;
    })
  );
}
