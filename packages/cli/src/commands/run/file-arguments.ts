import { createReadStream } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import {
  contentsBounds,
  isWorkspacePath,
  partBytes,
  partsOf,
  staysInside,
  type WorkspaceEntry,
} from '@ambit/core/workspace';
import type { ArchiveEntry } from '@ambit/server/wire';
import { readFileBytes, readProblem } from '../../command/read-input.ts';

/**
 * Lists a folder for a workspace, below the path `at` there; `.` is its top. Throws `USAGE_INVALID` like `givenFiles`.
 */
export async function folderEntries(cwd: string, folder: string, at: string): Promise<ArchiveEntry[]> {
  const files = await filesOf(cwd, `${folder}=${at}`);
  return Promise.all(files.map((each) => entryOf(cwd, each, partBytes)));
}

/**
 * Finds the files that `--file` names. Each argument is a file, or a folder with everything below it. Its name in the
 * workspace is its own, or the one after `=`; the target `.` puts a folder's files at the top. An argument that exists as a path
 * is a path, even if it contains `=`. Files are read when their parts are; pipes are read now, up to `bytesMax` bytes.
 *
 * Throws `USAGE_INVALID` if a file cannot be read, a target is not a workspace path, two targets are equal, or a folder contains
 * a link that leads out of it. Other links are passed on as links.
 */
export async function fileArguments(
  cwd: string,
  args: readonly string[],
  bytesMax: number,
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const seen = new Set<string>();
  for (const arg of args)
    for (const given of await filesOf(cwd, arg)) {
      if (seen.has(given.path))
        throw invalid(
          `two files of --file have the target ${given.path}; change one with --file SOURCE=TARGET`,
        );
      seen.add(given.path);
      entries.push(await entryOf(cwd, given, bytesMax));
    }
  return entries;
}

/** The entries with the contents of the files in memory, as a request has them. */
export async function loadEntries(entries: readonly ArchiveEntry[]): Promise<WorkspaceEntry[]> {
  const held: WorkspaceEntry[] = [];
  for (const entry of entries) {
    if (!('parts' in entry)) held.push(entry);
    else {
      const { path, executable, parts } = entry;
      const content = Buffer.concat(await Array.fromAsync(parts(), (part) => Buffer.from(part)));
      held.push(executable ? { path, content, executable } : { path, content });
    }
  }
  return held;
}

/** An entry that `--file` names: a file, or with `entry` a link or an empty folder. */
interface Entry {
  source: string;
  path: string;
  entry?: { link: string } | { folder: true };
}

async function entryOf(cwd: string, { source, path, entry }: Entry, bytesMax: number): Promise<ArchiveEntry> {
  if (entry !== undefined) return { path, ...entry };
  const stats = await statOf(cwd, source);
  const executable = (stats.mode & 0o100) !== 0;
  // A pipe has no size, nor has a file of /proc.
  if (stats.isFile() && stats.size > 0)
    return { path, bytes: stats.size, executable, parts: () => partsOfFile(cwd, source, stats.size) };
  const content = await readFileBytes(cwd, source, bytesMax);
  return { path, bytes: content.length, executable, parts: () => partsOf(content) };
}

/** The first bytes of a file, which may have grown since. Throws `USAGE_INVALID` if they cannot be read. */
async function* partsOfFile(cwd: string, source: string, bytes: number): AsyncGenerator<Uint8Array> {
  const stream: AsyncIterable<Buffer> = createReadStream(resolve(cwd, source), { end: bytes - 1 });
  let left = bytes;
  try {
    for await (const part of stream) {
      left -= part.length;
      yield part;
    }
  } catch (cause) {
    throw invalid(`cannot read ${source}: ${readProblem(cause)}`, cause);
  }
  if (left !== 0) throw invalid(`${source} was cut while it was read; try again when it is complete`);
}

async function filesOf(cwd: string, arg: string): Promise<Entry[]> {
  const { source, target } = await splitArgument(cwd, arg);
  const stats = await statOf(cwd, source);
  if (!stats.isDirectory()) {
    const name = target.endsWith('/') ? `${target}${basename(source)}` : target;
    return [{ source, path: requirePath(arg, name) }];
  }
  const at = target.replace(/\/+$/, '');
  const below = await filesBelow(resolve(cwd, source), source);
  return below.map((each) => ({
    ...each,
    source: join(source, each.path),
    path: requirePath(arg, at === '.' ? each.path : `${at}/${each.path}`),
  }));
}

async function splitArgument(cwd: string, arg: string): Promise<{ source: string; target: string }> {
  const at = arg.lastIndexOf('=');
  const isWhole = at < 1 || (await stat(resolve(cwd, arg)).catch(() => undefined)) !== undefined;
  return isWhole
    ? { source: arg, target: basename(resolve(cwd, arg)) }
    : { source: arg.slice(0, at), target: arg.slice(at + 1) };
}

async function statOf(cwd: string, path: string) {
  try {
    return await stat(resolve(cwd, path));
  } catch (cause) {
    throw invalid(`cannot read ${path}: ${readProblem(cause)}`, cause);
  }
}

/** The files, links and empty folders, sorted, by paths relative to the folder. */
async function filesBelow(folder: string, name: string): Promise<Omit<Entry, 'source'>[]> {
  const files: Omit<Entry, 'source'>[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((cause: Error) => {
      throw invalid(`cannot read ${join(name, below)}: ${cause.message}`, cause);
    });
    if (entries.length === 0 && below !== '') files.push({ path: below, entry: { folder: true } });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) files.push({ path });
      else {
        const link = entry.isSymbolicLink() ? await readlink(join(folder, path)) : undefined;
        if (link === undefined || !staysInside({ path, link }))
          throw invalid(
            `${join(name, path)} is ${link === undefined ? 'not a regular file' : `a link that leads out of ${name}`}; move it away, or name the other files one by one`,
          );
        files.push({ path, entry: { link } });
      }
      if (files.length > contentsBounds.entries)
        throw invalid(
          `${name} has more than ${contentsBounds.entries} files, the maximum; pass it as an archive`,
        );
    }
  };
  await walk('');
  if (files.length === 0) throw invalid(`the folder ${name} contains no files`);
  return files;
}

function requirePath(arg: string, path: string): string {
  if (isWorkspacePath(path)) return path;
  throw invalid(
    `--file ${arg}: ${JSON.stringify(path)} is not a valid workspace path; write SOURCE=TARGET with a relative target such as data/in.csv`,
  );
}

function invalid(message: string, cause?: unknown): UsageError {
  return new UsageError(message, { cause });
}
