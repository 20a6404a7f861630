import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '@ambit/core';
import { liesWithin, pathsOverlap } from '@ambit/core/internal';
import { debianPackageOf } from './debian-packages.ts';
import { headOf, startOfHead } from './entry.ts';
import { placesOf, programNeeds } from './program-needs.ts';
import { type PythonEnvironment, pythonEnvironment } from './python-environment.ts';
import type { Mount } from './sandbox/sandbox.ts';
import { searchPath } from './search-path.ts';

/** A program of the host, as it is made to exist inside a sandbox. */
export interface HostProgram {
  /** Its file on the host, links resolved; of a virtual environment, the link in that. */
  file: string;
  /** Where it is inside, to be started there. Its name is in one of the folders of `PATH`. */
  path: string;
  mounts: readonly Mount[];
  links: Readonly<Record<string, string>>;
  /** Of a script outside the folders of the system's packages: the folder that it may need whole. Only the script is inside. */
  unknownFolder?: string | undefined;
}

const searchFolders = searchPath.split(':');

const libraries = '/usr/lib';

/** What a program does not bring along, whatever it needs: programs by name, host paths. */
export interface LeftOut {
  programs: readonly string[];
  paths: readonly string[];
}

/**
 * A program that `neededBy` cannot do without, with what that needs: its own folder, the interpreter of a script, and what the
 * table of usual programs says. Throws `PROGRAM_MISSING` when the host has no such program.
 */
export function hostProgram(
  name: string,
  neededBy = 'Ambit',
  leftOut: LeftOut = { programs: [], paths: [] },
): HostProgram {
  const found = findHostProgram(name);
  if (found === undefined) {
    throw new SkillError(
      'PROGRAM_MISSING',
      `${neededBy} needs ${name}, which this machine does not have in ${searchPath}. ${howToInstall(name)}`,
    );
  }
  const all = new Map([[name, found]]);
  const mounts = [...found.mounts];
  // A program that is added here is visited too.
  for (const [called, program] of all) {
    const needs = programNeeds([called, basename(program.file)]);
    mounts.push(...needs.paths.flatMap((path) => mountOf(path, leftOut.paths)));
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
    unknownFolder: interpreterOf(found.file).length > 0 ? unknownFolderOf(found.file) : undefined,
  };
}

/** The mount of a path that a program needs; none where it overlaps a path that is left out, or is a link to nothing. */
function mountOf(path: string, leftOut: readonly string[]): Mount[] {
  let source: string;
  try {
    source = realpathSync.native(path);
  } catch {
    return [];
  }
  // Every sandbox has the shared libraries: a rule around them is no rule about what programs need.
  const rules = leftOut.filter((rule) => !liesWithin(libraries, rule));
  const isLeftOut = rules.some((rule) => pathsOverlap(path, rule) || pathsOverlap(source, rule));
  return isLeftOut ? [] : [{ source, target: path }];
}

/** The folder of a package that nothing is known of, as `/opt/NAME` for `/opt/NAME/bin/PROGRAM`; never somebody's home. */
function unknownFolderOf(file: string): string | undefined {
  const folder = dirname(file);
  if (searchFolders.includes(folder) || homeOf(file) !== undefined) return undefined;
  const above = dirname(folder);
  return basename(folder) === 'bin' && !/^\/(root|home\/[^/]+)?$/.test(above) ? above : folder;
}

/** What the kernel runs a script with: `env` looks for the other. */
function interpreterOf(file: string): string[] {
  try {
    const { interpreter } = startOfHead('', headOf(file));
    return interpreter ? ['env', interpreter] : [];
  } catch {
    // One that may be run and not be read is no script.
    return [];
  }
}

/** What to do for a program that the host does not have. */
export function howToInstall(name: string): string {
  const debianPackage = debianPackageOf(name);
  return debianPackage === undefined
    ? 'Install it, or a link to it, in one of these folders'
    : `On Debian or Ubuntu: apt-get install ${debianPackage}`;
}

/**
 * Finds a program of the host, with its links resolved and what it cannot live without; `undefined` when there is none.
 * Looked up anew each time, because the host may have another version by then, and blocking: these are microseconds, and
 * a thread of the pool would take ten times as long to answer.
 */
export function findHostProgram(name: string): HostProgram | undefined {
  for (const called of [name, ...(successors.get(name) ?? [])]) {
    const path = placeOf(called);
    if (path === undefined) continue;
    const file = realpathSync.native(path);
    const environment = called.startsWith('python') ? pythonEnvironment(path) : undefined;
    return { file: environment?.program ?? file, ...insideAs(name, file, environment) };
  }
  return undefined;
}

function insideAs(
  name: string,
  file: string,
  environment: PythonEnvironment | undefined,
): Omit<HostProgram, 'file'> {
  const [path, home] = [`/usr/bin/${name}`, homeOf(file)];
  // Under its real name: python3 finds its library by the version in it, and by its place where that is its own.
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
 * The folder of a package, for a program that lies in one and reads what is beside it (`/usr/lib/jvm/NAME/bin/java`). Only where
 * the system's packages have folders of their own: what is beside a program anywhere else may be anything, also in `/opt`.
 */
function homeOf(file: string): string | undefined {
  const home = /^(\/usr\/(?:lib|libexec|share)\/(?:jvm\/|nodejs\/)?[^/]+)\/./.exec(file)?.[1];
  return home === undefined || /-linux-gnu$/.test(home) ? undefined : home;
}

/** What runs in the place of a program that the host does not have, under its name. */
const successors = new Map([['python', ['python3']]]);

/** Where the executable of that name is, in the first folder that has one. */
function placeOf(name: string): string | undefined {
  return searchFolders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Node's V8 reserves this much for compiled code at its start, and the kernel counts it as data (seen with Node 24). */
export const nodeReservedBytes = 512 * 1024 * 1024;

/** The library of a Python that is installed in a folder of its own, such as pyenv's. */
function pythonLibrary(file: string): Mount[] {
  const prefix = dirname(dirname(file));
  if (!basename(file).startsWith('python3') || ['/', '/usr', '/usr/local'].includes(prefix)) return [];
  return placesOf(`${prefix}/lib/python3*`)
    .concat(placesOf(`${prefix}/lib/libpython3*`))
    .map((path) => ({ source: path, target: path }));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // A folder can be "executed" too: `..` would be one.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
