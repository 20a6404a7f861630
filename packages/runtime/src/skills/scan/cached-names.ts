import type { BigIntStats } from 'node:fs';
import type { Disk } from '../folder/disk.ts';
import { hasStamp, isSettled, type Stamp, stampOf } from '../folder/stamp.ts';

/** A disk that caches the names in a folder until an entry is added or removed. */
export interface NameCachingDisk extends Disk {
  /** Drops entries that were not used since the last call. */
  forget(): void;
}

interface CachedNames {
  stamp: Stamp;
  names: readonly string[];
}

export function cachingNames(disk: Disk): NameCachingDisk {
  let before = new Map<string, CachedNames>();
  let used = new Map<string, CachedNames>();
  return {
    ...disk,
    names(path, stats) {
      const known = used.get(path) ?? before.get(path);
      if (known === undefined || !hasStamp(stats, known.stamp)) return list(path, stats);
      used.set(path, known);
      return known.names;
    },
    forget() {
      before = used;
      used = new Map();
    },
  };

  async function list(path: string, stats: BigIntStats): Promise<readonly string[]> {
    // Taken before listing: an entry added a moment later may leave the times unchanged.
    const settled = isSettled(stats.ctimeNs, disk.now());
    const names = await disk.names(path, stats);
    if (settled) used.set(path, { stamp: stampOf(path, stats), names });
    return names;
  }
}
