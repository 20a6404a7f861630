import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { treeDigest } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import type { DependencyOptions, FetchedPackage } from './dependency-options.ts';
import { fetchPython } from './fetch-python.ts';
import { pythonName, type Requirement } from './requirement.ts';
import { environmentBounds, unpackWheel } from './unpack-wheel.ts';

/** The packages of a skill, unpacked in a folder. */
export interface BuiltEnvironment {
  /** The version of Python that they fit; `null`: there are none. */
  python: string | null;
  packages: readonly FetchedPackage[];
  /** The `treeDigest` of the folder. */
  content: string;
}

/**
 * Fetches Python packages and unpacks them into `python` in an empty folder, read-only below it: what the requirements need,
 * in versions that pip chooses, or exactly the locked packages. Packages that this machine provides are left out. Nothing of
 * a package runs on the host. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` and `PROGRAM_MISSING`.
 */
export async function buildEnvironment(
  wanted: { requirements: readonly Requirement[] } | { locked: readonly FetchedPackage[] },
  into: string,
  options: DependencyOptions,
): Promise<BuiltEnvironment> {
  const { python: index, provided } = options.settings;
  const onHost = new Set(provided.map(pythonName));
  const needed =
    'locked' in wanted
      ? wanted
      : { requirements: wanted.requirements.filter(({ name }) => !onHost.has(name)) };
  const names = ('locked' in needed ? needed.locked : needed.requirements).map(({ name }) => name);
  try {
    if (names.length === 0) return { python: null, packages: [], content: await treeDigest(into) };
    if (index === null) throw noIndex([...new Set(names)]);
    const { version, packages, wheels } = await fetchPython(needed, index, options);
    const room = { ...environmentBounds };
    await mkdir(join(into, 'python'));
    for (const wheel of wheels) await unpackWheel(wheel, join(into, 'python'), room);
    await protect(join(into, 'python'));
    return { python: packages.length === 0 ? null : version, packages, content: await treeDigest(into) };
  } catch (error) {
    throw asInstallError(error);
  }
}

function noIndex(names: readonly string[]): InstallError {
  return new InstallError(
    'DEPENDENCY_NO_INDEX',
    `${names.slice(0, 10).join(', ')} cannot be fetched: no package index is configured. Add to ambit.config.yaml: installs: { dependencies: { python: { index: "https://HOST/simple" } } }`,
  );
}

/** Folders lose the right to write; files were created without it. */
async function protect(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await protect(join(folder, entry.name));
  await chmod(folder, 0o555);
}

function asInstallError(error: unknown): unknown {
  if (error instanceof InstallError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new InstallError('SOURCE_TOO_LARGE', `the disk is full: ${message}`, { cause: error });
  if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST')
    return new InstallError('SOURCE_DAMAGED', `a package has a file where another has a folder: ${message}`, {
      cause: error,
    });
  return error;
}
