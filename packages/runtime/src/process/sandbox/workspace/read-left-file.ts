import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { turns } from '../../../output/turns.ts';

/** A file as a run left it, or why it cannot be used: `it …`. */
export type LeftFile = { bytes: Uint8Array } | { problem: string };

/** Reads one file of a run that is over. Nothing is followed, and nothing is opened that is not an ordinary file. */
export async function readLeftFile(place: string, bytesMax: number): Promise<LeftFile> {
  let stats: Stats;
  try {
    stats = lstatSync(place);
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { problem: isGone ? 'is gone' : 'is in a folder that could not be read' };
  }
  if (!stats.isFile()) return { problem: `is not an ordinary file but ${kindOf(stats)}` };
  if (stats.size > bytesMax) return { problem: `has ${stats.size} bytes, more than ${bytesMax}` };
  const bytes = await readOrdinary(place, stats.size, turns());
  return bytes === undefined ? { problem: 'could not be read' } : { bytes };
}

const readAtOnce = 256 * 1024;

/** Opens without following and without waiting, and looks again at what it has opened. */
export async function readOrdinary(
  place: Buffer | string,
  size: number,
  rest: (bytes: number) => Promise<void>,
): Promise<Uint8Array | undefined> {
  let file: number;
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const content = new Uint8Array(size);
    let length = 0;
    for (let read = -1; length < size && read !== 0; length += read) {
      read = readSync(file, content, length, Math.min(size - length, readAtOnce), length);
      await rest(read);
    }
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** What is no ordinary file. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
