import type { BigIntStats } from 'node:fs';

/**
 * The identity and times of a file or folder. No user can set the inode's change time, so an edit
 * is detected even if it keeps the size and restores the modification time. A folder's times change
 * with every entry that is added, removed or replaced.
 */
export interface Stamp extends Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'> {
  /** Absolute. */
  path: string;
}

export function stampOf(path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return { path, dev, ino, size, mtimeNs, ctimeNs };
}

/** Whether the file still matches the stamp. */
export function hasStamp(stats: BigIntStats, stamp: Stamp): boolean {
  return (
    stats.ctimeNs === stamp.ctimeNs &&
    stats.mtimeNs === stamp.mtimeNs &&
    stats.size === stamp.size &&
    stats.ino === stamp.ino &&
    stats.dev === stamp.dev
  );
}

/** A stamp as text to compare. */
export function textOf({ path, dev, ino, size, mtimeNs, ctimeNs }: Stamp): string {
  return [path, dev, ino, size, mtimeNs, ctimeNs].join('\0');
}
