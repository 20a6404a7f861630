import { createHash, hash } from 'node:crypto';
import { type Dir, lstatSync, opendirSync, readlinkSync, type Stats } from 'node:fs';
import type { RunInput } from '@ambit/core/execute';
import {
  contentsBounds,
  digestOf,
  type FileChange,
  type FileContent,
  foldersOf,
  staysInside,
  type WorkspaceEntry,
} from '@ambit/core/workspace';
import { turns } from '../../../stream/turns.ts';
import { kindOf, partsOfRegular, readRegular } from './read-left-file.ts';

/** Limits for reading back a workspace. */
export interface TakeBounds {
  /** The total of all contents. */
  bytes: number;
  /** The total that is read into memory; the rest is read when it is needed. Absent: all of it. */
  memoryBytes?: number;
  /** Entries that are visited. Further ones are not reported, except once that they exist. */
  entries: number;
  /** The setting that limits them; absent: none does. */
  setting?: string;
  /** The total of all paths: a path can be a thousand times as long as a file's content. */
  pathBytes: number;
  depth: number;
}

export const takeBounds: TakeBounds = {
  bytes: 16 * 1024 * 1024,
  entries: 10_000,
  pathBytes: 2 * 1024 * 1024,
  depth: 32,
};

/** The limits for a persistent workspace, which holds what it may hold and is not read into memory. */
export function persistentBounds({ bytesMax, entriesMax }: NonNullable<RunInput['persistent']>): TakeBounds {
  return {
    bytes: Math.max(bytesMax, takeBounds.bytes),
    memoryBytes: takeBounds.bytes / 2,
    entries: entriesMax,
    setting: 'workspaces.maxFiles',
    pathBytes: 2 * contentsBounds.pathBytes,
    depth: takeBounds.depth,
  };
}

/** A larger file is not read into memory if it can be read later. */
const memoryFileBytes = 1024 * 1024;

/** Visiting an entry takes as long as reading this many bytes. */
const entryCost = 8 * 1024;

type Entry = Omit<FileChange, 'change'>;

/**
 * Reads back a finished run's workspace and compares it with the caller's files. Follows no
 * symlinks and opens only regular files. A link that stays inside is a change. Other links, FIFOs and devices are only
 * reported.
 */
export async function takeFiles(
  root: string,
  put: readonly WorkspaceEntry[],
  bounds: TakeBounds = takeBounds,
  isOver: () => boolean = () => false,
): Promise<FileChange[]> {
  const before = new Map(put.map((entry) => [entry.path, entry]));
  const { found, isWhole } = await walk(root, bounds, isOver);
  const changes: FileChange[] = [];
  for (const { path, ...rest } of found) {
    const was = before.get(path);
    before.delete(path);
    if (was === undefined) changes.push({ path, change: 'created', ...rest });
    else if (!isSame(was, rest)) changes.push({ path, change: 'changed', ...rest });
  }
  // A file that was not visited may still exist, and a folder that is not empty does.
  const filled = new Set(found.flatMap(({ path }) => foldersOf(path)));
  if (isWhole)
    for (const entry of before.values()) if (!filled.has(entry.path)) changes.push(deletionOf(entry));
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isSame(was: WorkspaceEntry, { content, executable, link, folder }: Omit<Entry, 'path'>): boolean {
  if ('link' in was) return was.link === link;
  if ('folder' in was) return folder === true;
  if (content === null || was.executable !== executable || content.length !== was.content.length)
    return false;
  if (content instanceof Uint8Array && was.content instanceof Uint8Array)
    return Buffer.compare(content, was.content) === 0;
  return digestOf(content, sha256) === digestOf(was.content, sha256);
}

function deletionOf(entry: WorkspaceEntry): FileChange {
  const change: FileChange = { path: entry.path, change: 'deleted', bytes: 0, content: null };
  return 'folder' in entry ? { ...change, folder: true } : change;
}

function sha256(content: Uint8Array): string {
  return hash('sha256', content);
}

/** A file of a finished run, which is read when it is needed; `undefined` if it cannot be read. */
async function leftContent(
  place: Buffer,
  length: number,
  rest: ReturnType<typeof turns>,
  isOver: () => boolean,
): Promise<FileContent | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const part of partsOfRegular(place, 0, length)) {
      digest.update(part);
      await rest(part.length);
    }
  } catch {
    return undefined;
  }
  return {
    length,
    sha256: digest.digest('hex'),
    parts(start = 0, end = length) {
      if (isOver()) throw new Error('the files of the run are gone');
      return inTurns(partsOfRegular(place, start, Math.min(end, length)), rest);
    },
  };
}

/** Parts with turns of the event loop between them. */
async function* inTurns(
  parts: AsyncIterable<Uint8Array>,
  rest: ReturnType<typeof turns>,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part;
    await rest(part.length);
  }
}

async function walk(
  root: string,
  bounds: TakeBounds,
  isOver: () => boolean,
): Promise<{ found: Entry[]; isWhole: boolean }> {
  const found: Entry[] = [];
  let bytesLeft = bounds.bytes;
  let memoryLeft = bounds.memoryBytes ?? bounds.bytes;
  let entriesLeft = bounds.entries;
  let pathBytesLeft = bounds.pathBytes;
  let [isWhole, isFull] = [true, false];
  const rest = turns();
  const visit = async (folder: Buffer, shown: string, depth: number): Promise<void> => {
    // One more than allowed, to detect that there are more.
    const names = namesIn(folder, entriesLeft + 1);
    if (names?.length === 0 && shown !== '')
      found.push({ path: shown, bytes: 0, content: null, folder: true });
    if (names === undefined) {
      isWhole = false;
      found.push({
        path: shown || '.',
        bytes: 0,
        content: null,
        omitted: 'a folder that could not be read',
      });
      return;
    }
    for (const name of names) {
      if (isFull) return;
      const place = Buffer.concat([folder, Buffer.from('/'), name]);
      const path = shown === '' ? printable(name) : `${shown}/${printable(name)}`;
      entriesLeft -= 1;
      pathBytesLeft -= Buffer.byteLength(path);
      isFull = entriesLeft < 0 || pathBytesLeft < 0;
      if (isFull) {
        const omitted = entriesLeft < 0 ? beyondEntries(bounds) : beyondPaths(bounds);
        found.push({ path, bytes: 0, content: null, omitted });
        return;
      }
      await rest(entryCost);
      const stats = statsOf(place);
      if (stats === undefined) {
        found.push({ path, bytes: 0, content: null, omitted: 'its path is too long' });
        continue;
      }
      if (stats.isDirectory()) {
        if (depth < bounds.depth) await visit(place, path, depth + 1);
        else found.push({ path, bytes: 0, content: null, omitted: `nested more than ${bounds.depth} deep` });
      } else if (!stats.isFile()) {
        found.push(linkOrOdd(path, place, stats));
      } else if (stats.size > bytesLeft) {
        found.push({
          path,
          bytes: stats.size,
          content: null,
          omitted: `over the limit of ${bounds.bytes} bytes for all files`,
        });
      } else {
        const isHeld =
          bounds.memoryBytes === undefined || stats.size <= Math.min(memoryLeft, memoryFileBytes);
        const content = isHeld
          ? await readRegular(place, stats.size, rest)
          : await leftContent(place, stats.size, rest, isOver);
        bytesLeft -= content?.length ?? 0;
        if (isHeld) memoryLeft -= content?.length ?? 0;
        if (content === undefined)
          found.push({ path, bytes: stats.size, content: null, omitted: 'it could not be read' });
        else if ((stats.mode & 0o111) === 0) found.push({ path, bytes: content.length, content });
        else found.push({ path, bytes: content.length, content, executable: true });
      }
    }
  };
  await visit(Buffer.from(root), '', 1);
  return { found, isWhole: isWhole && !isFull };
}

/** The report about a link that leads out of the workspace. */
export const leadsOut = {
  omitted: 'not a regular file but a symbolic link that leads out of the workspace',
  leftOut: true,
} as const;

/** A link within the workspace; anything else is only named. */
function linkOrOdd(path: string, place: Buffer, stats: Stats): Entry {
  const entry = { path, bytes: 0, content: null };
  if (!stats.isSymbolicLink())
    return { ...entry, omitted: `not a regular file but ${kindOf(stats)}`, leftOut: true };
  const link = printable(readlinkSync(place, { encoding: 'buffer' }));
  return staysInside({ path, link }) ? { ...entry, link } : { ...entry, ...leadsOut };
}

function beyondEntries({ entries, setting }: TakeBounds): string {
  return `more than ${entries} entries${setting === undefined ? '' : `, the limit set by ${setting}`}; this one and the following are left out`;
}

function beyondPaths({ pathBytes }: TakeBounds): string {
  return `more than ${pathBytes} bytes of paths; this entry and the following are left out`;
}

function statsOf(place: Buffer): Stats | undefined {
  try {
    return lstatSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

/**
 * The first names in a folder, at most `maxNames`: a run can leave very many. `undefined` if this
 * process cannot read the folder.
 */
function namesIn(folder: Buffer, maxNames: number): Buffer[] | undefined {
  let entries: Dir;
  try {
    entries = opendirSync(folder, { encoding: 'buffer' as BufferEncoding });
  } catch (error) {
    if (['EACCES', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const names: Buffer[] = [];
    for (
      let entry = entries.readSync();
      entry !== null && names.length < maxNames;
      entry = entries.readSync()
    )
      names.push(entry.name as unknown as Buffer);
    return names;
  } finally {
    entries.closeSync();
  }
}

/**
 * A file name is bytes. Invalid UTF-8 is replaced, so such a name can be shown but not opened. A
 * byte order mark is preserved: without it, the name would be a different one.
 */
function printable(name: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(name);
}
