import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isWorkspacePath, type WorkspaceFile } from '@ambit/core/internal';
import { CliError } from './cli-error.ts';
import { readFileBytes } from './read-input.ts';

/** More files than these are an archive, and can be given as one. */
const filesMax = 1000;

/**
 * The files that `--file` names, for the workspace. Each argument is a file, or a folder with everything beneath. It gets its
 * own name there, or the one after `=`; a folder with the target `.` is put at the top. A path that exists as it is written is
 * one, even with `=` in it.
 *
 * Throws `USAGE_INVALID` when one cannot be read, one is longer than `bytesMax` bytes or all of them together are, there are
 * more than 1000, a target is no path of a workspace, two have the same, or there is a link in a folder: it is not followed.
 */
export async function givenFiles(
  cwd: string,
  args: readonly string[],
  bytesMax: number,
): Promise<WorkspaceFile[]> {
  const files: { source: string; path: string }[] = [];
  for (const arg of args) {
    files.push(...(await filesOf(cwd, arg)));
    if (files.length > filesMax)
      throw invalid(`--file names more than ${filesMax} files; give them as an archive`);
  }
  const given: WorkspaceFile[] = [];
  let left = bytesMax;
  for (const { source, path } of files) {
    if (given.some((other) => other.path === path))
      throw invalid(`--file puts two files at ${path}; give one of them another target: SOURCE=TARGET`);
    const content = await readFileBytes(cwd, source, bytesMax);
    left -= content.length;
    if (left < 0)
      throw invalid(
        `the files of --file have more than ${bytesMax} bytes together; bodyLimitBytes in the configuration sets how much is read`,
      );
    given.push({ path, content });
  }
  return given;
}

async function filesOf(cwd: string, arg: string): Promise<{ source: string; path: string }[]> {
  const { source, target } = await parted(cwd, arg);
  const stats = await statOf(cwd, source);
  if (!stats.isDirectory()) {
    const name = target.endsWith('/') ? `${target}${basename(source)}` : target;
    return [{ source, path: checked(arg, name) }];
  }
  const at = target.replace(/\/+$/, '');
  const below = await filesBelow(resolve(cwd, source), source);
  return below.map((path) => ({
    source: join(source, path),
    path: checked(arg, at === '.' ? path : `${at}/${path}`),
  }));
}

async function parted(cwd: string, arg: string): Promise<{ source: string; target: string }> {
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
    throw invalid(`cannot read ${path}: ${(cause as Error).message}`, cause);
  }
}

/** Relative to the folder, in order. */
async function filesBelow(folder: string, name: string): Promise<string[]> {
  const files: string[] = [];
  const look = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((cause: Error) => {
      throw invalid(`cannot read ${join(name, below)}: ${cause.message}`, cause);
    });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) await look(path);
      else if (entry.isFile()) files.push(path);
      else
        throw invalid(
          `${join(name, path)} is ${entry.isSymbolicLink() ? 'a link, which is not followed' : 'no ordinary file'}; name the files beside it one by one, or move it away`,
        );
      if (files.length > filesMax)
        throw invalid(`${name} has more than ${filesMax} files; give it as an archive`);
    }
  };
  await look('');
  if (files.length === 0) throw invalid(`${name} is a folder without files`);
  return files;
}

function checked(arg: string, path: string): string {
  if (isWorkspacePath(path)) return path;
  throw invalid(
    `--file ${arg}: ${JSON.stringify(path)} is no path in a workspace; write SOURCE=TARGET with a relative target such as data/in.csv`,
  );
}

function invalid(message: string, cause?: unknown): CliError {
  return new CliError('USAGE_INVALID', message, { cause });
}
