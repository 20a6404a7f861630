import type { BigIntStats } from 'node:fs';

/**
 * What a file or a folder looked like. Nobody can set the time of the inode, so that an edit shows which keeps the size
 * and restores the time of the content; a folder's times change with every entry that comes, goes or is replaced.
 */
export interface Stamp extends Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'> {
  /** Absolute. */
  path: string;
}

export function stampOf(path: string, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return { path, dev, ino, size, mtimeNs, ctimeNs };
}

/** Whether it still looks like that. */
export function hasStamp(stats: BigIntStats, stamp: Stamp): boolean {
  return (
    stats.ctimeNs === stamp.ctimeNs &&
    stats.mtimeNs === stamp.mtimeNs &&
    stats.size === stamp.size &&
    stats.ino === stamp.ino &&
    stats.dev === stamp.dev
  );
}

/** A stamp as a text to be compared. */
export function textOf({ path, dev, ino, size, mtimeNs, ctimeNs }: Stamp): string {
  return [path, dev, ino, size, mtimeNs, ctimeNs].join('\0');
}
