import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
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

/** Reads a file without following symlinks or blocking; `undefined` if it cannot be read. */
export async function readRegular(
  place: Buffer | string,
  size: number,
  rest: ReturnType<typeof turns>,
): Promise<Uint8Array | undefined> {
  const content = new Uint8Array(size);
  let length = 0;
  try {
    for await (const part of partsOfRegular(place, 0, size)) {
      content.set(part, length);
      length += part.length;
      await rest(part.length);
    }
  } catch {
    return undefined;
  }
  return content.subarray(0, length);
}

/**
 * The bytes of a file from `start` to before `end`. Opens it without following symlinks or blocking, and checks again what was
 * opened. A part is valid until the next one. Throws if it is no regular file, or cannot be read.
 */
export async function* partsOfRegular(
  place: Buffer | string,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file');
    const part = new Uint8Array(Math.min(chunkBytes, end - start));
    for (let at = start; at < end; ) {
      const read = readSync(file, part, 0, Math.min(part.length, end - at), at);
      if (read === 0) return;
      at += read;
      yield part.subarray(0, read);
    }
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
