import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SkillError } from '@ambit/core';
import { debianPackageOf } from './debian-packages.ts';
import type { Mount } from './sandbox/sandbox.ts';
import { searchPath } from './search-path.ts';

/** A program of the host, as it is made to exist inside a sandbox. */
export interface HostProgram {
  /** Where it is inside: one of the folders of `PATH`. */
  path: string;
  mounts: readonly Mount[];
  links: Readonly<Record<string, string>>;
}

/** A program that `neededBy` cannot do without. Throws `PROGRAM_MISSING` when the host has no such program. */
export function hostProgram(name: string, neededBy = 'Ambit'): HostProgram {
  const found = findHostProgram(name);
  if (found !== undefined) return found;
  throw new SkillError(
    'PROGRAM_MISSING',
    `${neededBy} needs ${name}, which this machine does not have in ${searchPath}. ${installing(name)}`,
  );
}

/** What installs a program. */
function installing(name: string): string {
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
    const file = fileOf(called);
    if (file === undefined) continue;
    const inside = `/usr/bin/${name}`;
    return {
      path: inside,
      // Bound under its real name as well: python3 finds its library by the version in it.
      mounts: [{ source: file, target: `/usr/bin/${basename(file)}` }, ...companions(basename(file))],
      links: basename(file) === name ? {} : { [inside]: basename(file) },
    };
  }
  return undefined;
}

/** What runs in the place of a program that the host does not have, under its name. */
const successors = new Map([['python', ['python3']]]);

/** The executable of that name, its links resolved, in the first folder that has one. */
function fileOf(name: string): string | undefined {
  for (const folder of searchPath.split(':')) {
    const file = executableFile(join(folder, name));
    if (file !== undefined) return file;
  }
  return undefined;
}

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
  return companionFolders
    .filter(({ program }) => program.test(file))
    .flatMap(({ folder, entries }) =>
      namesIn(folder)
        .filter((name) => entries.test(name))
        .map((name) => join(folder, name)),
    )
    .map((path) => ({ source: path, target: path }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function executableFile(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    // A folder can be "executed" too: `..` would be one.
    return statSync(path).isFile() ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}
