import type { BigIntStats } from 'node:fs';
import type { Disk } from '../folder/disk.ts';
import { listFolder } from '../folder/list-folder.ts';
import type { Stamp } from '../folder/stamp.ts';
import { cachingNames } from './cached-names.ts';
import { findSkillFolders, type Layout, type ScanLimits } from './find-skill-folders.ts';
import type { SkillRoot } from './skill-root.ts';

/** The differences from the previous survey. */
export interface ScanChanges {
  /** Absent: unchanged. */
  layout?: Layout;
  /** Real paths of skill folders that may have changed. Empty and no layout: no changes. */
  stale: readonly string[];
}

/**
 * Surveys the same roots repeatedly and reports which folders to read. It stores only stamps, so a
 * folder counts as read once it was reported as stale. It opens no file and lists only folders
 * whose own times have changed.
 */
export function surveyor(
  roots: readonly SkillRoot[],
  disk: Disk,
  limits: ScanLimits,
): () => Promise<ScanChanges> {
  const cachingDisk = cachingNames(disk);
  let layout: Layout | undefined;
  /** By real path; absent if the stamps are not reliable yet. */
  let before = new Map<string, readonly Stamp[]>();

  return async () => {
    const atMs = disk.now();
    const now = new Map<string, readonly Stamp[]>();
    const stale: string[] = [];
    const isUnchanged = async (root: string): Promise<boolean> => {
      const known = before.get(root);
      if (known === undefined || !(await disk.stampsMatch(known))) return false;
      now.set(root, known);
      return true;
    };
    const visit = async (root: string, stats: BigIntStats): Promise<void> => {
      // A link may have led here.
      if (await isUnchanged(root)) return;
      stale.push(root);
      const listing = await listFolder(root, cachingDisk, { stats, atMs }).catch(() => undefined);
      if (listing?.settled === true) now.set(root, listing.stamps);
    };
    const found = await findSkillFolders(roots, cachingDisk, limits, { isUnchanged, visit });
    before = now;
    cachingDisk.forget();
    const layoutChanged = layout === undefined || !isSameLayout(layout, found);
    layout = found;
    return layoutChanged ? { layout, stale } : { stale };
  };
}

function isSameLayout(before: Layout, now: Layout): boolean {
  return (
    before.folders.length === now.folders.length &&
    before.problems.length === now.problems.length &&
    before.folders.every((each, at) => {
      const other = now.folders[at];
      return each.root === other?.root && each.foundAt === other.foundAt && each.from === other.from;
    }) &&
    before.problems.every((each, at) => {
      const other = now.problems[at];
      return each.root === other?.root && each.problem === other.problem;
    })
  );
}
