import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '@ambit/core';
import { liesWithin, pathsOverlap } from '@ambit/core/policy';
import { headOf, startOfHead } from '../../skills/folder/start-of-head.ts';
import { searchPath } from '../../spawn/search-path.ts';
import type { Mount } from '../sandbox/sandbox.ts';
import { debianPackageOf } from './debian-packages.ts';
import { matchingPaths, programNeeds } from './program-needs.ts';
import { type PythonEnvironment, pythonEnvironment } from './python-environment.ts';

/** A host program, as it appears inside a sandbox. */
export interface HostProgram {
  /** Its file on the host, links resolved; in a virtual environment, the link there. */
  file: string;
  /** Its path inside. Its name is in one of the folders of `PATH`. */
  path: string;
  mounts: readonly Mount[];
  links: Readonly<Record<string, string>>;
  /** Names of the program and of the ones that it starts, to find their data. Absent: it has none. */
  names?: readonly string[];
  /**
   * For a script outside the system's package folders: the folder that it may need. Only the script
   * itself is mounted.
   */
  unknownFolder?: string | undefined;
}

const searchFolders = searchPath.split(':');

const libraries = '/usr/lib';

/**
 * Denied programs, by name, and denied host paths. They are left out even if a program needs them.
 */
export interface LeftOut {
  programs: readonly string[];
  paths: readonly string[];
}

/**
 * A program that `neededBy` requires, with its dependencies: its own folder, the interpreter of a
 * script, and the entries of the table in program-needs.ts. Throws `PROGRAM_MISSING` if the host
 * has no such program.
 */
export function hostProgram(
  name: string,
  neededBy = 'Ambit',
  leftOut: LeftOut = { programs: [], paths: [] },
): HostProgram {
  const found = findHostProgram(name);
  if (found === undefined) throw programsMissing(neededBy, [name]);
  const all = new Map([[name, found]]);
  const mounts = [...found.mounts];
  // The loop also visits programs that it adds.
  for (const [alias, program] of all) {
    const needs = programNeeds([alias, basename(program.file)]);
    mounts.push(...needs.paths.flatMap(publicParts).flatMap((path) => mountOf(path, leftOut.paths)));
    for (const needed of [...needs.programs, ...interpreterOf(program.file)]) {
      const isOut = all.has(needed) || leftOut.programs.includes(needed);
      const other = isOut ? undefined : findHostProgram(needed);
      if (other === undefined) continue;
      all.set(needed, other);
      mounts.push(...other.mounts);
    }
  }
  return {
    ...found,
    mounts,
    links: Object.assign({}, ...[...all.values()].map(({ links }) => links)),
    names: [...new Set([...all].flatMap(([alias, { file }]) => [alias, basename(file)]))],
    unknownFolder: interpreterOf(found.file).length > 0 ? unknownFolderOf(found.file) : undefined,
  };
}

/**
 * The mount of a path that a program needs; none if it overlaps a path that is left out, or is a
 * link that is broken or leads away from the system's packages, such as into a home folder.
 */
export function mountOf(path: string, leftOut: readonly string[]): Mount[] {
  let source: string;
  try {
    source = realpathSync.native(path);
  } catch {
    return [];
  }
  if (!isSystemPath(source)) return [];
  // Every sandbox has the shared libraries, so a rule about a folder around them does not concern
  // programs.
  const rules = leftOut.filter((rule) => !liesWithin(libraries, rule));
  const isLeftOut = rules.some((rule) => pathsOverlap(path, rule) || pathsOverlap(source, rule));
  return isLeftOut ? [] : [{ source, target: path }];
}

/**
 * Lists the public parts of configuration that a program reads: the whole path, or its parts without the private ones. The user of
 * the daemon can be in a group that may read a file with passwords.
 */
function publicParts(path: string): string[] {
  if (!path.startsWith('/etc/')) return [path];
  const parts = partsOf(path);
  return parts === 'all' ? [path] : parts;
}

function partsOf(path: string): 'all' | string[] {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) return (stats.mode & 0o004) === 0 ? [] : 'all';
    if ((stats.mode & 0o005) !== 0o005) return [];
    const below = readdirSync(path, { withFileTypes: true }).map((entry) => {
      const place = join(path, entry.name);
      const isLink = entry.isSymbolicLink();
      // A folder behind a link may contain the link.
      const parts =
        isLink && statSync(place, { throwIfNoEntry: false })?.isFile() !== true ? [] : partsOf(place);
      return { place, isLink, parts };
    });
    // Mounting a folder does not mount what its links lead to.
    if (below.every(({ isLink, parts }) => isLink || parts === 'all')) return 'all';
    return below.flatMap(({ place, parts }) => (parts === 'all' ? [place] : parts));
  } catch {
    return [];
  }
}

/** Whether a path belongs to the system's packages, which contain no sockets. */
export function isSystemPath(path: string): boolean {
  return /^\/(usr|etc|lib\w*|var\/(cache|lib))\//.test(path);
}

/**
 * The folder of an unknown package, such as `/opt/NAME` for `/opt/NAME/bin/PROGRAM`; never a home
 * folder.
 */
function unknownFolderOf(file: string): string | undefined {
  const folder = dirname(file);
  if (searchFolders.includes(folder) || packageFolderOf(file) !== undefined) return undefined;
  const above = dirname(folder);
  return basename(folder) === 'bin' && !/^\/(root|home\/[^/]+)?$/.test(above) ? above : folder;
}

/**
 * The programs that the kernel starts for a script: `env`, and the interpreter that `env` looks up.
 */
function interpreterOf(file: string): string[] {
  try {
    const { interpreter } = startOfHead('', headOf(file));
    return interpreter ? ['env', interpreter] : [];
  } catch {
    // An executable that cannot be read is not a script.
    return [];
  }
}

/** The refusal of a call whose programs are not installed. It names all of them. */
export function programsMissing(neededBy: string, names: readonly string[]): SkillError {
  const which = names.length === 1 ? 'which is' : 'which are';
  return new SkillError(
    'PROGRAM_MISSING',
    `${neededBy} needs ${names.join(', ')}, ${which} not installed in ${searchPath.replaceAll(':', ', ')}. ${howToInstall(...names)}`,
  );
}

/** Returns the steps that install missing programs. */
export function howToInstall(...names: readonly string[]): string {
  const packages = names.flatMap((name) => debianPackageOf(name) ?? []);
  const others = names.filter((name) => debianPackageOf(name) === undefined);
  const what = names.length === 1 ? 'it' : others.join(', ');
  const steps: string[] = [];
  if (packages.length > 0) steps.push(`On Debian or Ubuntu: apt-get install ${packages.join(' ')}`);
  if (others.length > 0) steps.push(`Install ${what}, or link it into /usr/local/bin`);
  return steps.join('. ');
}

/**
 * Finds a host program, with its links resolved and its dependencies; `undefined` if there is none.
 * Looks it up each time, because the host's version may have changed. Blocking: this takes
 * microseconds, and a pool thread would take ten times as long.
 */
export function findHostProgram(name: string): HostProgram | undefined {
  for (const alias of [name, ...(successors.get(name) ?? [])]) {
    const path = pathOf(alias);
    if (path === undefined) continue;
    const file = realpathSync.native(path);
    const environment = alias.startsWith('python') ? pythonEnvironment(path) : undefined;
    return { file: environment?.program ?? file, ...insideAs(name, file, environment) };
  }
  return undefined;
}

function insideAs(
  name: string,
  file: string,
  environment: PythonEnvironment | undefined,
): Omit<HostProgram, 'file'> {
  const [path, home] = [`/usr/bin/${name}`, packageFolderOf(file)];
  // Under its real name: python3 finds its library by the version in its name, and by its path if
  // it has its own prefix.
  const target = searchFolders.includes(dirname(file)) ? `/usr/bin/${basename(file)}` : file;
  const own = home === undefined ? { source: file, target } : { source: home, target: home };
  const mounts = [own, ...pythonLibrary(file)];
  const links = target === path ? {} : { [path]: target };
  if (environment === undefined) return { path, mounts, links };
  const { program, root, source } = environment;
  const between = environment.links.filter((link) => link !== target && !liesWithin(link, root));
  return {
    path: program,
    mounts: [...mounts, { source, target: root }],
    links: { ...Object.fromEntries(between.map((link) => [link, target])), ...links },
  };
}

/**
 * The folder of a package, for a program that reads files beside it (`/usr/lib/jvm/NAME/bin/java`).
 * Only where the system's packages have folders of their own: beside any other program, also in
 * `/opt`, there may be anything.
 */
function packageFolderOf(file: string): string | undefined {
  const home = /^(\/usr\/(?:lib|libexec|share)\/(?:jvm\/|nodejs\/)?[^/]+)\/./.exec(file)?.[1];
  return home === undefined || /-linux-gnu$/.test(home) ? undefined : home;
}

/** Substitutes for missing programs, which run under the missing program's name. */
const successors = new Map([['python', ['python3']]]);

/** The path of an executable, in the first folder that has it. */
function pathOf(name: string): string | undefined {
  return searchFolders.map((folder) => join(folder, name)).find(isExecutable);
}

/**
 * V8 reserves this much for compiled code when Node starts, and the kernel counts it as data (seen
 * with Node 24).
 */
export const nodeReservedBytes = 512 * 1024 * 1024;

/** The library of a Python that has its own prefix, such as pyenv's. */
function pythonLibrary(file: string): Mount[] {
  const prefix = dirname(dirname(file));
  if (!basename(file).startsWith('python3') || ['/', '/usr', '/usr/local'].includes(prefix)) return [];
  return matchingPaths(`${prefix}/lib/python3*`)
    .concat(matchingPaths(`${prefix}/lib/libpython3*`))
    .map((path) => ({ source: path, target: path }));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // Folders have the x permission too, for example `..`.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
