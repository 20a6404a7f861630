import { type Stamp, stampsOf } from '../folder/stamp.ts';
import type { NameCachingDisk } from './cached-names.ts';
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
 * Surveys the same roots repeatedly and reports which folders to read: every folder that differs from
 * its last given signature, or has none. It stores only stamps, opens no file and lists only folders
 * whose own times have changed.
 */
export function surveyor(
  roots: readonly SkillRoot[],
  disk: NameCachingDisk,
  limits: ScanLimits,
): (signatures: readonly string[]) => Promise<ScanChanges> {
  let layout: Layout | undefined;
  /** By real path. */
  let before = new Map<string, readonly Stamp[]>();

  return async (signatures) => {
    for (const signature of signatures) {
      const stamps = stampsOf(signature);
      if (stamps?.[0] !== undefined) before.set(stamps[0].path, stamps);
    }
    const now = new Map<string, readonly Stamp[]>();
    const stale: string[] = [];
    const isUnchanged = async (root: string): Promise<boolean> => {
      const known = before.get(root);
      if (known === undefined || !(await disk.stampsMatch(known))) return false;
      now.set(root, known);
      return true;
    };
    const visit = async (root: string): Promise<void> => {
      // A link may have led here.
      if (!(await isUnchanged(root))) stale.push(root);
    };
    const hasAny = (root: string, folders: readonly string[]): boolean => {
      const places = folders.map((name) => `${root}/${name}`);
      return now.get(root)?.some(({ path }) => places.includes(path)) ?? false;
    };
    const found = await findSkillFolders(roots, disk, limits, { isUnchanged, hasAny, visit });
    before = now;
    disk.forget();
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
