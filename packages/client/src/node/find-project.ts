import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { placeOf } from './trust/data-dir-trust.ts';
import { trustStore } from './trust/trust-store.ts';
import type { UserPlaces } from './user-places.ts';

/** The name of the configuration in a project, and of the user's own. */
export const configFileName = 'ambit.config.yaml';

const dataDirName = '.ambit';

/** The folders of a project or a home in which agents look for skills. */
const skillFolders = ['.agents/skills', '.claude/skills'] as const;

/** A folder with an Ambit of its own. Ambit found it, so its files need trust. */
export interface Project {
  /** An absolute path. */
  folder: string;
  /** The path of its configuration; `undefined`: it has none. */
  file: string | undefined;
  /** The file or folder in it that makes it a project, such as `.claude/skills`. */
  sign: string;
}

/** The places in which to look for a project. */
export interface ProjectSearch extends UserPlaces {
  /** An absolute path. */
  cwd: string;
}

/**
 * The project of a folder: the nearest `ambit.config.yaml` in the folder or above it, up to the home folder; without one, the
 * folder itself if it has a data directory or skills for agents. `undefined`: the user's own Ambit is in force.
 */
export async function findProject(search: ProjectSearch): Promise<Project | undefined> {
  const { cwd, home, dataHome } = search;
  for (const folder of foldersUp(cwd, home)) {
    const file = join(folder, configFileName);
    // In the folder itself, use an inaccessible file too: reading it reports the error.
    if (!(await isThere(stat(file), folder === cwd))) continue;
    if (await isUsersOwn(folder, search)) return undefined;
    if (folder === cwd || !(await isAnotherUsers(file)) || (await trustedBefore(dataHome, file)))
      return { folder, file, sign: configFileName };
  }
  // A link to nothing counts, so that it is refused.
  if (await isThere(lstat(join(cwd, dataDirName)), true))
    return { folder: cwd, file: undefined, sign: dataDirName };
  if (cwd === home) return undefined;
  for (const sign of skillFolders)
    if (await isThere(stat(join(cwd, sign)), false)) return { folder: cwd, file: undefined, sign };
  return undefined;
}

/** The data directory of a project, unless its configuration names another one. */
export function projectDataDir(folder: string): string {
  return join(folder, dataDirName);
}

/** The user's own data directory, beside the trust store; `undefined`: the user has no home folder. */
export function userDataDir({ dataHome }: Pick<UserPlaces, 'dataHome'>): string | undefined {
  return dataHome && join(dataHome, 'ambit', 'data');
}

/** The user's own configuration, which need not exist; `undefined`: the user has no home folder. */
export function userConfigFile({ configHome }: Pick<UserPlaces, 'configHome'>): string | undefined {
  return configHome && join(configHome, 'ambit', configFileName);
}

/** The paths in a project or a home in which agents look for skills. They need not exist. */
export function agentSkillFolders(folder: string): string[] {
  return skillFolders.map((path) => join(folder, path));
}

/** The folder and its parents, nearest first, up to the home folder or the root. */
function foldersUp(folder: string, home: string): string[] {
  const above = dirname(folder);
  return folder === home || above === folder ? [folder] : [folder, ...foldersUp(above, home)];
}

async function isThere(found: Promise<unknown>, orUnknown: boolean): Promise<boolean> {
  try {
    await found;
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return orUnknown && code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** Whether the configuration of a folder is the user's own, which makes no project. */
async function isUsersOwn(folder: string, places: UserPlaces): Promise<boolean> {
  const own = userConfigFile(places);
  if (own === undefined) return false;
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  return (await real(folder)) === (await real(dirname(own)));
}

const writableByAll = 0o002;

/** Whether it is another user's file in a folder such as /tmp, where it would block every command in the folders below. */
async function isAnotherUsers(path: string): Promise<boolean> {
  const trustedUids: readonly (number | undefined)[] = [process.getuid?.(), 0];
  const places = await Promise.all([stat(dirname(path)), lstat(path), stat(path)]).catch(() => undefined);
  if (places === undefined || process.getuid === undefined) return false;
  const [folder, ...files] = places;
  return (folder.mode & writableByAll) !== 0 && files.some(({ uid }) => !trustedUids.includes(uid));
}

/** Whether the user ever trusted a configuration at this path, with any content. Never rejects. */
async function trustedBefore(dataHome: string | undefined, path: string): Promise<boolean> {
  return trustStore(dataHome)
    .find('configuration', await placeOf(path))
    .then(
      (record) => record !== undefined,
      () => false,
    );
}
