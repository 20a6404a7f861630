import { type Dir, lstatSync, opendirSync, type Stats } from 'node:fs';
import type { FileChange, WorkspaceFile } from '@ambit/core/internal';
import { turns } from '../../../output/turns.ts';
import { kindOf, readOrdinary } from './read-left-file.ts';

/** How much of a workspace is read back. */
export interface TakeBounds {
  /** Of all contents together. */
  bytes: number;
  /** Entries that are looked at; what is beyond is not reported, and that is said once. */
  entries: number;
  /** Of all their paths together: a path can be a thousand times what it names. */
  pathBytes: number;
  depth: number;
}

export const takeBounds: TakeBounds = {
  ...{ bytes: 16 * 1024 * 1024, entries: 10_000, pathBytes: 2 * 1024 * 1024, depth: 32 },
};

/** To look at an entry takes as long as to read so many bytes. */
const entryCost = 8 * 1024;

interface Found {
  path: string;
  content: Uint8Array | null;
  bytes: number;
  omitted?: string;
}

/**
 * Reads back what a run has left in its workspace, and compares it with what the caller had put there. The run is over,
 * so nothing changes meanwhile; and nothing that it left is followed or opened but ordinary files, so that a link, a
 * FIFO or a device is reported and no more.
 */
export async function takeFiles(
  root: string,
  put: readonly WorkspaceFile[],
  bounds: TakeBounds = takeBounds,
): Promise<FileChange[]> {
  const before = new Map(put.map(({ path, content }) => [path, content]));
  const { found, isWhole } = await walk(root, bounds);
  const changes: FileChange[] = [];
  for (const { path, ...rest } of found) {
    const was = before.get(path);
    before.delete(path);
    if (was === undefined) changes.push({ path, change: 'created', ...rest });
    else if (rest.content === null || Buffer.compare(rest.content, was) !== 0)
      changes.push({ path, change: 'changed', ...rest });
  }
  // Of what nobody has looked at nobody knows that it is gone.
  if (isWhole)
    for (const path of before.keys()) changes.push({ path, change: 'deleted', bytes: 0, content: null });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(root: string, bounds: TakeBounds): Promise<{ found: Found[]; isWhole: boolean }> {
  const found: Found[] = [];
  let bytesLeft = bounds.bytes;
  let entriesLeft = bounds.entries;
  let pathBytesLeft = bounds.pathBytes;
  let [isWhole, isOver] = [true, false];
  const rest = turns();
  const visit = async (folder: Buffer, shown: string, depth: number): Promise<void> => {
    // One more than may be, so that it is known that there are more.
    const names = namesIn(folder, entriesLeft + 1);
    if (names === undefined) {
      isWhole = false;
      found.push({
        ...{ path: shown || '.', bytes: 0, content: null },
        omitted: 'a folder that could not be read',
      });
      return;
    }
    for (const name of names) {
      if (isOver) return;
      const place = Buffer.concat([folder, Buffer.from('/'), name]);
      const path = shown === '' ? printable(name) : `${shown}/${printable(name)}`;
      entriesLeft -= 1;
      pathBytesLeft -= Buffer.byteLength(path);
      isOver = entriesLeft < 0 || pathBytesLeft < 0;
      if (isOver) {
        const omitted = entriesLeft < 0 ? beyondEntries(bounds) : beyondPaths(bounds);
        found.push({ path, bytes: 0, content: null, omitted });
        return;
      }
      await rest(entryCost);
      const stats = statsOf(place);
      if (stats === undefined) {
        found.push({ path, bytes: 0, content: null, omitted: 'its path is longer than a path can be' });
        continue;
      }
      if (stats.isDirectory()) {
        if (depth < bounds.depth) await visit(place, path, depth + 1);
        else found.push({ path, bytes: 0, content: null, omitted: `nested more than ${bounds.depth} deep` });
      } else if (!stats.isFile()) {
        found.push({ path, bytes: 0, content: null, omitted: `not an ordinary file but ${kindOf(stats)}` });
      } else if (stats.size > bytesLeft) {
        found.push({
          path,
          bytes: stats.size,
          content: null,
          omitted: `larger than what is left of ${bounds.bytes} bytes`,
        });
      } else {
        const content = await readOrdinary(place, stats.size, rest);
        bytesLeft -= content?.length ?? 0;
        found.push(
          content === undefined
            ? { path, bytes: stats.size, content: null, omitted: 'it could not be read' }
            : { path, bytes: content.length, content },
        );
      }
    }
  };
  await visit(Buffer.from(root), '', 1);
  return { found, isWhole: isWhole && !isOver };
}

function beyondEntries({ entries }: TakeBounds): string {
  return `the ${entries + 1}th entry; it and those after it are not looked at`;
}

function beyondPaths({ pathBytes }: TakeBounds): string {
  return `beyond ${pathBytes} bytes of paths; it and those after it are not looked at`;
}

function statsOf(place: Buffer): Stats | undefined {
  try {
    return lstatSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

/** As many of a folder's names, for a run can leave very many; `undefined` for a folder that is closed to this process. */
function namesIn(folder: Buffer, most: number): Buffer[] | undefined {
  let entries: Dir;
  try {
    entries = opendirSync(folder, { encoding: 'buffer' as BufferEncoding });
  } catch (error) {
    if (['EACCES', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const names: Buffer[] = [];
    for (let entry = entries.readSync(); entry !== null && names.length < most; entry = entries.readSync())
      names.push(entry.name as unknown as Buffer);
    return names;
  } finally {
    entries.closeSync();
  }
}

/**
 * A name is bytes; what is not UTF-8 in it is replaced, so that it can be shown and not opened. A byte order mark is kept:
 * without it the name would be another's.
 */
function printable(name: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(name);
}
