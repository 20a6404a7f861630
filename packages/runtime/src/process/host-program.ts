import { constants } from 'node:fs';
import { access, readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Mount } from './sandbox.ts';
import { searchPath } from './search-path.ts';

/** A program of the host, as it is made to exist inside a sandbox. */
export interface HostProgram {
  /** Where it is inside: one of the folders of `PATH`. */
  path: string;
  mounts: readonly Mount[];
  links: Readonly<Record<string, string>>;
}

/**
 * Finds a program that a grant names, with its links resolved and what it cannot live without.
 *
 * Throws `SANDBOX_UNAVAILABLE` when the host has no such program.
 */
export async function hostProgram(name: string): Promise<HostProgram> {
  for (const folder of searchPath.split(':')) {
    const path = join(folder, name);
    const file = await executableFile(path);
    if (file === undefined) continue;
    const inside = `/usr/bin/${name}`;
    return {
      path: inside,
      // Bound under its real name as well: python3 finds its library by the version in it.
      mounts: [{ source: file, target: `/usr/bin/${basename(file)}` }, ...(await companions(basename(file)))],
      links: basename(file) === name ? {} : { [inside]: basename(file) },
    };
  }
  throw new SkillError(
    'SANDBOX_UNAVAILABLE',
    `this machine has no ${name} in ${searchPath}; install it for the skills that need it`,
  );
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

async function companions(file: string): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const { program, folder, entries } of companionFolders) {
    if (!program.test(file)) continue;
    for (const entry of await readdir(folder).catch(() => [])) {
      if (entries.test(entry)) mounts.push({ source: join(folder, entry), target: join(folder, entry) });
    }
  }
  return mounts;
}

async function executableFile(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    return undefined;
  }
}
