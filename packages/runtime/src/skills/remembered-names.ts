import type { BigIntStats } from 'node:fs';
import type { Disk } from './disk.ts';
import { isSettled } from './settled.ts';
import { hasStamp, type Stamp, stampOf } from './stamp.ts';

/** A disk that does not list a folder again while nothing has come into it or gone. */
export interface RememberingDisk extends Disk {
  /** Forgets what was not asked for since the last time. */
  forget(): void;
}

interface Remembered {
  stamp: Stamp;
  names: readonly string[];
}

export function remembersNames(disk: Disk): RememberingDisk {
  let before = new Map<string, Remembered>();
  let asked = new Map<string, Remembered>();
  return {
    ...disk,
    names(path, stats) {
      const known = asked.get(path) ?? before.get(path);
      if (known === undefined || !hasStamp(stats, known.stamp)) return list(path, stats);
      asked.set(path, known);
      return known.names;
    },
    forget() {
      before = asked;
      asked = new Map();
    },
  };

  async function list(path: string, stats: BigIntStats): Promise<readonly string[]> {
    // Before it is listed: what comes a moment later may leave the times as they are.
    const settled = isSettled(stats.ctimeNs, disk.now());
    const names = await disk.names(path, stats);
    if (settled) asked.set(path, { stamp: stampOf(path, stats), names });
    return names;
  }
}
