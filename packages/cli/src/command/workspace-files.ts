import { constants, existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFileName, trustStoreFolder, userPlaces } from '@ambit/client/node';
import { UsageError } from '@ambit/core/outcome';
import { isWorkspacePath, withParents } from '@ambit/core/workspace';
import { daemonError } from '../output/daemon-error.ts';
import { plural } from '../output/plural.ts';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import type { UsedDaemon } from './define-command.ts';

/** A file to save, or an empty folder. The skill, or the owner of a workspace, chose its path. */
export type SavedFile =
  | {
      path: string;
      /** Called once, in the order of the files. */
      content(): Promise<string | Uint8Array> | AsyncIterable<Uint8Array>;
      /** For a new file; a replaced one retains its mode. */
      executable?: boolean | undefined;
    }
  | { path: string; folder: true };

/** Permissions for saving, besides creating files without a leading dot. */
export interface SaveOptions {
  /** Replace existing files. */
  overwrite?: boolean | undefined;
  /** Save hidden files, and files in hidden folders. */
  hidden?: boolean | undefined;
  /** Called before anything is written, with the existing files that will be replaced. */
  onReplace?: (paths: readonly string[]) => void;
  /** The daemon that has the contents. */
  daemon?: UsedDaemon | undefined;
}

/**
 * Saves files below a folder: all of them, or none. Tools run commands from hidden files such as `.envrc` and from
 * replaced ones such as `package.json`, so both need an option. Nothing in `.git`, `.ambit` or another folder that git takes
 * for a repository is saved, nothing in the user's own folder of Ambit, and nothing through a link below the folder.
 *
 * Throws `USAGE_INVALID` for what is refused, with all its names, and if the folder cannot be written. It is then unchanged.
 */
export async function saveFiles(
  folder: string,
  files: readonly SavedFile[],
  { overwrite = false, hidden = false, onReplace, daemon }: SaveOptions = {},
): Promise<void> {
  // Not even the folder is made.
  if (files.length === 0) return;
  const paths = files.map(({ path }) => path);
  refuse(
    paths.filter((path) => !isWorkspacePath(path)),
    'they are not valid workspace paths',
  );
  refuse(
    paths.filter(decidesWhatRuns),
    `files in .git and .ambit, and ${configFileName}, can run commands on this machine`,
  );
  if (!hidden)
    refuse(
      paths.filter(isHidden),
      'tools run commands from hidden files. If you have checked them, add --hidden',
    );
  refuse(
    sameNames(paths),
    'their names differ only in case or in their form of Unicode, so one could replace the other',
  );
  const root = await realpath(folder).catch(() => folder);
  refuse(
    inRepositories(root, paths),
    'git takes a folder with HEAD, objects and refs for a repository, and runs commands that its files name',
  );
  const own = await ownFolders();
  const isOwn = (path: string): boolean =>
    own.some((place) => folded(join(root, path)).startsWith(folded(`${place}/`)));
  refuse(
    paths.filter(isOwn),
    `files in ${own.join(' and ')} decide which configurations are trusted, and who may call`,
  );
  const existing = await existingFiles(root, files);
  if (!overwrite)
    refuse(
      existing,
      'they exist, and tools could run commands from the new ones. To replace them, add --overwrite, or save into another folder',
    );
  else if (existing.length > 0) onReplace?.(existing);
  await writeAll(folder, files, new Set(existing)).catch((thrown: unknown) => {
    const error = daemonError(thrown, daemon);
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot save files in ${folder}: ${(error as Error).message}. No file was saved`, {
      cause: error,
    });
  });
}

/** Prints the links that are not saved: a later tool would follow them. */
export function noteLinks(
  print: Printer,
  entries: readonly { path: string; link?: string | undefined }[],
): void {
  const links = entries.filter(({ link }) => link !== undefined);
  if (links.length === 0) return;
  print.note(
    `Not saved: ${plural(links.length, 'symbolic link')}. Links are never created:`,
    ...links.slice(0, namedMax).map(({ path, link }) => `  ${printableLine(`${path} -> ${link}`)}`),
    ...(links.length > namedMax ? [`  and ${links.length - namedMax} more`] : []),
  );
}

/** Prints the files that will be replaced. */
export function noteReplaced(print: Printer, folder: string): (paths: readonly string[]) => void {
  return (paths) =>
    print.note(
      `Replacing ${plural(paths.length, 'file')} in ${printableLine(folder)}:`,
      ...paths.map((path) => `  ${printableLine(path)}`),
    );
}

function refuse(paths: readonly string[], why: string): void {
  if (paths.length === 0) return;
  const named = `${paths.slice(0, namedMax).join(', ')}${paths.length > namedMax ? ` and ${paths.length - namedMax} more` : ''}`;
  throw new UsageError(
    `refused to save ${plural(paths.length, 'file')} (${named}): ${why}. No file was saved`,
    { details: { paths } },
  );
}

const namedMax = 20;

/** A name as a person reads it: without zero-width characters, and `．ｇｉｔ` as `.git`. */
function readName(name: string): string {
  return folded(name.normalize('NFKC'));
}

/** Folds a name as file systems do that ignore case and zero-width characters. */
function folded(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase();
}

function decidesWhatRuns(path: string): boolean {
  // The user's own configuration is in force without a review.
  return path.split('/').some((name) => ['.git', '.ambit', configFileName].includes(readName(name)));
}

/** The folders with the user's trust store and data directory. A command without this one's variables uses the usual ones. */
async function ownFolders(): Promise<string[]> {
  const homes = [userPlaces(process.env), userPlaces({})].flatMap(({ dataHome }) => dataHome ?? []);
  const places = homes.map((home) => dirname(trustStoreFolder(home)));
  const real = await Promise.all(places.map((place) => realpath(place).catch(() => place)));
  return [...new Set([...places, ...real])];
}

function isHidden(path: string): boolean {
  return path.split('/').some((name) => readName(name).startsWith('.'));
}

function sameNames(paths: readonly string[]): string[] {
  const places = Map.groupBy(paths, (path) => folded(path.normalize('NFC')));
  return [...places.values()].filter((same) => same.length > 1).flat();
}

/**
 * The files in folders that git would take for a repository without the name `.git`: with `HEAD`, and beside it `refs` or a
 * `commondir` that names another folder. Existing files count, because a run can save one after another.
 */
function inRepositories(root: string, paths: readonly string[]): string[] {
  const saved = new Set(paths.flatMap(withParents).map(folded));
  const has = (folder: string, name: string): boolean =>
    saved.has(folded(folder === '' ? name : `${folder}/${name}`)) || existsSync(join(root, folder, name));
  const isRepository = (folder: string): boolean =>
    has(folder, 'HEAD') && (has(folder, 'refs') || has(folder, 'commondir'));
  const repositories = [...new Set(['', ...paths.flatMap(withParents)])].filter(isRepository);
  return paths.filter((path) =>
    repositories.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`)),
  );
}

/** The files at these paths that exist. Throws for a link or a special file in the way. */
async function existingFiles(root: string, files: readonly SavedFile[]): Promise<string[]> {
  const found: string[] = [];
  const blocked: string[] = [];
  for (const { path, ...file } of files) {
    const names = path.split('/');
    for (const at of names.keys()) {
      const stats = await lstat(join(root, ...names.slice(0, at + 1))).catch(() => undefined);
      if (stats === undefined) break;
      const isLast = at === names.length - 1 && !('folder' in file);
      if (isLast ? !stats.isFile() : !stats.isDirectory()) {
        blocked.push(path);
        break;
      }
      if (isLast) found.push(path);
    }
  }
  refuse(blocked, 'a symbolic link, a folder or another kind of file is in their place');
  return found;
}

/** Writes the files beside their places, then moves all of them. Leaves the folder unchanged if that fails. */
async function writeAll(
  folder: string,
  files: readonly SavedFile[],
  replaced: ReadonlySet<string>,
): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  try {
    const root = await realpath(folder);
    const staging = await mkdtemp(join(root, '.ambit-saving-'));
    try {
      for (const [place, file] of files.entries())
        if ('content' in file) {
          const mode = file.executable ? 0o777 : 0o666;
          await writeFile(join(staging, `new-${place}`), await file.content(), { flag: 'wx', mode });
        }
      await moveAll(root, staging, files, replaced);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } catch (error) {
    if (made !== undefined) await removeEmpty(folder, dirname(made));
    throw error;
  }
}

/** Moves the staged files to their places. Undoes all moves if one fails. */
async function moveAll(
  root: string,
  staging: string,
  files: readonly SavedFile[],
  replaced: ReadonlySet<string>,
): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const [place, file] of files.entries()) {
      const { path } = file;
      const [from, old, to] = [
        join(staging, `new-${place}`),
        join(staging, `old-${place}`),
        join(root, path),
      ];
      const inside = 'folder' in file ? `${path}/.` : path;
      await makeParents(root, inside, (folder) => undo.push(() => rmdir(folder)));
      if ('folder' in file) continue;
      if (replaced.has(path)) {
        await rename(to, old);
        undo.push(() => rename(old, to));
        await chmod(from, (await lstat(old)).mode & 0o777);
      }
      await placeFile(from, to);
      undo.push(() => rm(to));
    }
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

/** Moves a file to a place where none is. Never replaces one. */
async function placeFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // Not every file system has hard links.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** Makes the folders of a path, and reports each that it made. Throws if one is a link. */
async function makeParents(root: string, path: string, onMade: (folder: string) => void): Promise<void> {
  let place = root;
  for (const name of path.split('/').slice(0, -1)) {
    place = join(place, name);
    try {
      await mkdir(place);
      onMade(place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if ((await realpath(place)) !== place) throw new Error(`${place} is a symbolic link`);
  }
}

/** Removes a folder and its parents below `above`, if they are empty. */
async function removeEmpty(folder: string, above: string): Promise<void> {
  for (let place = folder; place !== above; place = dirname(place)) await rmdir(place);
}
