import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { liesWithin, SkillError } from '@ambit/core';
import { debianPackageOf } from './debian-packages.ts';
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
}

const searchFolders = searchPath.split(':');

/** A program that `neededBy` cannot do without. Throws `PROGRAM_MISSING` when the host has no such program. */
export function hostProgram(name: string, neededBy = 'Ambit'): HostProgram {
  const found = findHostProgram(name);
  if (found !== undefined) return found;
  throw new SkillError(
    'PROGRAM_MISSING',
    `${neededBy} needs ${name}, which this machine does not have in ${searchPath}. ${howToInstall(name)}`,
  );
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
  const mounts = [
    home === undefined ? { source: file, target } : { source: home, target: home },
    ...companions(file),
  ];
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

/** Folders that a program reads beside the shared libraries, by the name of its file. Patterns match within `/usr`. */
const companionFolders: readonly { program: RegExp; folder: string; entries: RegExp }[] = [
  { program: /^python3/, folder: '/usr/lib', entries: /^python3(\.\d+)?$/ },
  { program: /^python3/, folder: '/usr/local/lib', entries: /^python3(\.\d+)?$/ },
  { program: /^git$/, folder: '/usr/lib', entries: /^git-core$/ },
  { program: /^git$/, folder: '/usr/libexec', entries: /^git-core$/ },
  { program: /^git$/, folder: '/usr/share', entries: /^git-core$/ },
  { program: /^perl/, folder: '/usr/share', entries: /^perl/ },
  { program: /^ruby/, folder: '/usr/lib', entries: /^ruby$/ },
];

function companions(file: string): Mount[] {
  return [...companionFolders, ...pythonIn(dirname(dirname(file)))]
    .filter(({ program }) => program.test(basename(file)))
    .flatMap(({ folder, entries }) =>
      namesIn(folder)
        .filter((name) => entries.test(name))
        .map((name) => join(folder, name)),
    )
    .map((path) => ({ source: path, target: path }));
}

/** The library of a Python that is installed in a folder of its own, such as pyenv's. */
function pythonIn(prefix: string): typeof companionFolders {
  if (['/', '/usr', '/usr/local'].includes(prefix)) return [];
  return [
    { program: /^python3/, folder: `${prefix}/lib`, entries: /^(python3(\.\d+)?|libpython3.*\.so.*)$/ },
  ];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
