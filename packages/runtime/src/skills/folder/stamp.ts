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

/** The stamps in a signature (see `signatureOf`). `undefined` for other text, and for a path with a line break. */
export function stampsOf(signature: string): Stamp[] | undefined {
  const stamps: Stamp[] = [];
  for (const line of signature.split('\n')) {
    const fields = line.split('\0');
    if (fields.length !== 6) return undefined;
    const [path = '', dev = '', ino = '', size = '', mtimeNs = '', ctimeNs = ''] = fields;
    stamps.push({
      path,
      dev: BigInt(dev),
      ino: BigInt(ino),
      size: BigInt(size),
      mtimeNs: BigInt(mtimeNs),
      ctimeNs: BigInt(ctimeNs),
    });
  }
  return stamps;
}

const tickNs = 20_000_000n;
const secondNs = 1_000_000_000n;

/**
 * Whether a file whose inode last changed at `ctimeNs`, seen at `nowMs`, would get a different time
 * from another change. File systems count time in ticks of up to 10 ms on Linux, and two changes
 * within a tick look alike. A time without a fraction may mean that the file system counts in
 * seconds, or in steps of two.
 */
export function isSettled(ctimeNs: bigint, nowMs: number): boolean {
  const uncertain = ctimeNs % secondNs === 0n ? 2n * secondNs + tickNs : tickNs;
  return ctimeNs + uncertain < BigInt(Math.floor(nowMs)) * 1_000_000n;
}
