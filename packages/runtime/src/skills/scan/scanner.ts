import type { Tier } from '@ambit/core/execute';
import type { Disk } from '../disk.ts';
import { type Loaded, loadSkillFolder } from '../load-skill-folder.ts';
import type { SkillRoot } from '../skill-root.ts';
import type { ScanLimits } from './find-skill-folders.ts';
import { type ScanChanges, surveyor } from './scan-changes.ts';

/** A folder to be read, by its real path. */
export interface Wanted {
  root: string;
  tier: Tier;
}

/** Looks through roots, and reads folders; where that is done is its own affair. */
export interface Scanner {
  survey(): Promise<ScanChanges>;
  /** In the order in which they are asked for. */
  read(wanted: readonly Wanted[]): Promise<readonly Loaded[]>;
  close(): Promise<void>;
}

/** As deep as published collections nest, and more folders than anybody keeps by hand. */
export const scanLimits: ScanLimits = { depth: 4, folders: 20_000 };

/** Works where it is called. */
export function scannerHere(
  roots: readonly SkillRoot[],
  disk: Disk,
  reach: ScanLimits = scanLimits,
): Scanner {
  return {
    survey: surveyor(roots, disk, reach),
    async read(wanted) {
      const loaded: Loaded[] = [];
      for (const { root, tier } of wanted) loaded.push(await loadSkillFolder(root, tier, disk));
      return loaded;
    },
    close: () => Promise.resolve(),
  };
}
