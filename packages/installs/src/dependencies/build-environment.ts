import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { treeDigest } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import type {
  DependencyOptions,
  DependencySettings,
  FetchedNpmPackage,
  FetchedPackage,
  FetchedPythonPackage,
} from './dependency-options.ts';
import { fetchNpm } from './fetch-npm.ts';
import { fetchPython } from './fetch-python.ts';
import { pythonName } from './requirement.ts';
import type { NpmRequirements } from './resolve-npm.ts';
import { environmentBounds, type Room } from './unpack-files.ts';
import { unpackTarball } from './unpack-tarball.ts';
import { unpackWheel } from './unpack-wheel.ts';

/** The packages of a skill, unpacked in a folder. */
export interface BuiltEnvironment {
  /** The version of Python that they fit; `null`: there are none of Python. */
  python: string | null;
  packages: readonly FetchedPackage[];
  /** The `treeDigest` of the folder. */
  content: string;
}

/** The packages of an environment to build: by requirements, or exactly the locked ones. */
export type WantedPackages = NpmRequirements | { locked: readonly FetchedPackage[] };

/**
 * Fetches packages and unpacks them into an empty folder: Python packages into `python`, packages of npm into
 * `node_modules`. They are what the requirements need, in versions that pip and npm choose, or exactly the locked packages. Python
 * packages that this machine provides are left out. Nothing of a package runs on the host. Rejects with an `InstallError`, and
 * with `SANDBOX_UNAVAILABLE` and `PROGRAM_MISSING`.
 */
export async function buildEnvironment(
  wanted: WantedPackages,
  into: string,
  options: DependencyOptions,
): Promise<BuiltEnvironment> {
  const room = { ...environmentBounds };
  try {
    const { version, packages } = await buildPython(wanted, into, room, options);
    const ofNpm = await buildNpm(wanted, into, room, options);
    return { python: version, packages: [...packages, ...ofNpm], content: await treeDigest(into) };
  } catch (error) {
    throw asInstallError(error);
  }
}

async function buildPython(
  wanted: WantedPackages,
  into: string,
  room: Room,
  options: DependencyOptions,
): Promise<{ version: string | null; packages: readonly FetchedPythonPackage[] }> {
  const { python: index, provided } = options.settings;
  const onHost = new Set(provided.map(pythonName));
  const needed =
    'locked' in wanted
      ? { locked: wanted.locked.filter((each) => each.kind === 'python') }
      : {
          requirements: wanted.requirements.filter(
            ({ kind, name }) => kind === 'python' && !onHost.has(name),
          ),
        };
  const names = ('locked' in needed ? needed.locked : needed.requirements).map(({ name }) => name);
  if (names.length === 0) return { version: null, packages: [] };
  if (index === null) throw noIndex('python', names);
  const { version, packages, wheels } = await fetchPython(needed, index, options);
  await mkdir(join(into, 'python'));
  for (const wheel of wheels) {
    options.signal.throwIfAborted();
    await unpackWheel(wheel, join(into, 'python'), room);
  }
  return { version: packages.length === 0 ? null : version, packages };
}

async function buildNpm(
  wanted: WantedPackages,
  into: string,
  room: Room,
  options: DependencyOptions,
): Promise<readonly FetchedNpmPackage[]> {
  const { node: registry } = options.settings;
  const needed =
    'locked' in wanted
      ? { locked: wanted.locked.filter((each) => each.kind === 'npm') }
      : { ...wanted, requirements: wanted.requirements.filter(({ kind }) => kind === 'npm') };
  const names = ('locked' in needed ? needed.locked : needed.requirements).map(({ name }) => name);
  if (names.length === 0) return [];
  if (registry === null) throw noIndex('node', names);
  const built: FetchedNpmPackage[] = [];
  for (const { tarball, ...each } of await fetchNpm(needed, registry, options)) {
    options.signal.throwIfAborted();
    const hasScript = await unpackTarball(tarball, join(into, each.path), room);
    built.push(hasScript ? { ...each, installScript: true } : each);
  }
  return built;
}

const settingOf = {
  python: { what: 'package index', line: 'python: { index: "https://HOST/simple" }' },
  node: { what: 'registry', line: 'node: { registry: "https://HOST" }' },
} as const satisfies Partial<Record<keyof DependencySettings, object>>;

function noIndex(key: keyof typeof settingOf, names: readonly string[]): InstallError {
  const { what, line } = settingOf[key];
  const listed = [...new Set(names)].slice(0, 10).join(', ');
  return new InstallError(
    'DEPENDENCY_NO_INDEX',
    `${listed} cannot be fetched: no ${what} is configured. Add to ambit.config.yaml: installs: { dependencies: { ${line} } }`,
  );
}

function asInstallError(error: unknown): unknown {
  if (error instanceof InstallError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new InstallError('SOURCE_TOO_LARGE', `the disk is full: ${message}`, { cause: error });
  if (code === 'ENAMETOOLONG')
    return new InstallError(
      'SOURCE_TOO_LARGE',
      `a package has a path that is too long: ${message.slice(0, 500)}`,
      { cause: error },
    );
  if (code === 'ERR_FS_EISDIR' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST')
    return new InstallError('SOURCE_DAMAGED', `a package has a file where another has a folder: ${message}`, {
      cause: error,
    });
  return error;
}
