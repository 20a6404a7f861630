import { createReadStream } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { contentsBounds, isWorkspacePath, staysInside, type WorkspaceEntry } from '@ambit/core/internal';
import { CliError } from '../../../errors/cli-error.ts';
import type { ArchiveEntry } from '../../../wire/tar.ts';
import { byConfiguration, readFileBytes, readProblem } from '../../command/read-input.ts';

/** The most files in one call. */
const filesMax = 1000;

/**
 * What a folder contains, for a workspace, below the path `at` there; `.` is its top. Throws `USAGE_INVALID` like `givenFiles`.
 */
export async function folderEntries(cwd: string, folder: string, at: string): Promise<ArchiveEntry[]> {
  const given = await filesOf(cwd, `${folder}=${at}`, contentsBounds.entries);
  const entries: ArchiveEntry[] = [];
  for (const { source, path, entry } of given)
    if (entry !== undefined) entries.push({ path, ...entry });
    else {
      const { size, mode } = await statOf(cwd, source);
      const parts = () => createReadStream(resolve(cwd, source));
      entries.push({ path, bytes: size, executable: (mode & 0o100) !== 0, parts });
    }
  return entries;
}

/**
 * Reads the files that `--file` names, for the workspace. Each argument is a file, or a folder with everything below it. Its
 * name in the workspace is its own, or the one after `=`; the target `.` puts a folder's files at the top. An argument that
 * exists as a path is a path, even if it contains `=`.
 *
 * Throws `USAGE_INVALID` if a file cannot be read, the files together exceed `bytesMax` or 1000, a target is not a workspace
 * path, two targets are equal, or a folder contains a link that leads out of it. Other links are passed on as links.
 */
export async function givenFiles(
  cwd: string,
  args: readonly string[],
  bytesMax: number,
): Promise<WorkspaceEntry[]> {
  const files: Given[] = [];
  for (const arg of args) {
    files.push(...(await filesOf(cwd, arg, filesMax)));
    if (files.length > filesMax)
      throw invalid(`--file names more than ${filesMax} files, the maximum; pass them as one archive`);
  }
  const given: WorkspaceEntry[] = [];
  const seen = new Set<string>();
  let left = bytesMax;
  for (const { source, path, entry } of files) {
    if (seen.has(path))
      throw invalid(`two files of --file have the target ${path}; change one with --file SOURCE=TARGET`);
    seen.add(path);
    if (entry !== undefined) {
      given.push({ path, ...entry });
      continue;
    }
    const content = await readFileBytes(cwd, source, bytesMax);
    left -= content.length;
    if (left < 0)
      throw invalid(`the files of --file are larger than ${bytesMax} bytes in total, ${byConfiguration}`);
    const isExecutable = ((await statOf(cwd, source)).mode & 0o100) !== 0;
    given.push(isExecutable ? { path, content, executable: true } : { path, content });
  }
  return given;
}

/** What `--file` names: a file, or with `entry` a link or an empty folder. */
interface Given {
  source: string;
  path: string;
  entry?: { link: string } | { folder: true };
}

async function filesOf(cwd: string, arg: string, filesMax: number): Promise<Given[]> {
  const { source, target } = await splitArgument(cwd, arg);
  const stats = await statOf(cwd, source);
  if (!stats.isDirectory()) {
    const name = target.endsWith('/') ? `${target}${basename(source)}` : target;
    return [{ source, path: requirePath(arg, name) }];
  }
  const at = target.replace(/\/+$/, '');
  const below = await filesBelow(resolve(cwd, source), source, filesMax);
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
async function filesBelow(folder: string, name: string, filesMax: number): Promise<Omit<Given, 'source'>[]> {
  const files: Omit<Given, 'source'>[] = [];
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
      if (files.length > filesMax)
        throw invalid(`${name} has more than ${filesMax} files, the maximum; pass it as an archive`);
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

function invalid(message: string, cause?: unknown): CliError {
  return new CliError('USAGE_INVALID', message, { cause });
}
