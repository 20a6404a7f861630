import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type Awaitable, isPending } from '@ambit/core/internal';
import { turns } from '../../../stream/turns.ts';

/** A file as a run left it, or why it is unusable, as a predicate: `is …`. */
export type LeftFile = { bytes: Uint8Array } | { problem: string };

/** Reads one file of a finished run. Follows no symlink, and opens only regular files. */
export async function readLeftFile(place: string, bytesMax: number): Promise<LeftFile> {
  let stats: Stats;
  try {
    stats = lstatSync(place);
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { problem: isGone ? 'was removed' : 'is in a folder that could not be read' };
  }
  if (!stats.isFile()) return { problem: `is not a regular file but ${kindOf(stats)}` };
  if (stats.size > bytesMax) return { problem: `has ${stats.size} bytes, more than ${bytesMax}` };
  const bytes = await readRegular(place, stats.size, turns());
  return bytes === undefined ? { problem: 'could not be read' } : { bytes };
}

const chunkBytes = 256 * 1024;

/** Opens a file without following symlinks or blocking, and checks again what was opened. */
export async function readRegular(
  place: Buffer | string,
  size: number,
  rest: (bytes: number) => Awaitable<void>,
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
      read = readSync(file, content, length, Math.min(size - length, chunkBytes), length);
      const turn = rest(read);
      if (isPending(turn)) await turn;
    }
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** The kind of a file that is not regular. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
