import type { Tier } from '@ambit/core/execute';
import type { Disk } from '../folder/disk.ts';
import type { LoadResult } from '../folder/load-skill-folder.ts';
import { cachingNames } from './cached-names.ts';
import type { ScanLimits } from './find-skill-folders.ts';
import { type ScanChanges, surveyor } from './scan-changes.ts';
import type { SkillRoot } from './skill-root.ts';

/** A folder to read, by its real path. */
export interface FolderToRead {
  root: string;
  tier: Tier;
}

/** Surveys roots and reads folders, in this thread or in others. */
export interface Scanner {
  /** Takes the signatures of settled folders that were read since the last survey. */
  survey(signatures: readonly string[]): Promise<ScanChanges>;
  /** In the order of `wanted`. */
  read(wanted: readonly FolderToRead[]): Promise<readonly LoadResult[]>;
  close(): Promise<void>;
}

/** Deeper than published collections nest, and more folders than a person maintains by hand. */
export const scanLimits: ScanLimits = { depth: 4, folders: 20_000 };

/** Works in the calling thread. */
export function localScanner(
  roots: readonly SkillRoot[],
  disk: Disk,
  limits: ScanLimits = scanLimits,
): Scanner {
  const cachingDisk = cachingNames(disk);
  return {
    survey: surveyor(roots, cachingDisk, limits),
    async read(wanted) {
      // Parsers take long to load, and a survey does not need them.
      const { loadSkillFolder } = await import('../folder/load-skill-folder.ts');
      const loaded: LoadResult[] = [];
      // A survey has just listed these folders.
      for (const { root, tier } of wanted) loaded.push(await loadSkillFolder(root, tier, cachingDisk));
      return loaded;
    },
    close: () => Promise.resolve(),
  };
}
