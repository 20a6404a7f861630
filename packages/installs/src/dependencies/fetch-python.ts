import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '../install-error.ts';
import type { DependencyOptions, FetchedPythonPackage, PackageIndex } from './dependency-options.ts';
import { pythonName, type Requirement } from './requirement.ts';
import { notAFile, openLeftFile, openToRun, work, workFolder, writeForRun } from './run-at-index.ts';
import { needsBuild, runPip } from './run-pip.ts';

/** Python packages with everything that they need, in files of this machine. */
export interface FetchedPython {
  /** The version of the interpreter that they fit: `3.11`. */
  version: string;
  packages: readonly FetchedPythonPackage[];
  /** The wheels to unpack. */
  wheels: readonly string[];
}

/**
 * Fetches what the requirements need, in the versions that pip chooses, or exactly the locked packages. pip runs in the
 * sandbox and reaches only the index. Wheels are not unpacked, and no code of a package runs, except of packages in
 * `allowBuild`, which are built in the sandbox. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` and
 * `PROGRAM_MISSING`.
 */
export async function fetchPython(
  wanted: { requirements: readonly Requirement[] } | { locked: readonly FetchedPythonPackage[] },
  index: PackageIndex,
  options: DependencyOptions,
): Promise<FetchedPython> {
  const { settings, folder } = options;
  const isLocked = 'locked' in wanted;
  const lines = isLocked ? wanted.locked.map(lockedLine) : wanted.requirements.map(({ text }) => text);
  const builds = settings.allowBuild.map(pythonName);
  const formats = [...wheelsOnly, ...(builds.length === 0 ? [] : ['--no-binary', builds.join(',')])];
  const { version, fetched } = await download(
    { lines, args: [...(isLocked ? exact : []), ...formats], name: 'fetched' },
    index,
    options,
  );
  const sources = fetched.filter(({ file }) => !file.endsWith('.whl'));
  const notAllowed = sources.find(({ name }) => !builds.includes(name));
  if (notAllowed !== undefined) throw needsBuild(notAllowed.name);
  const hashes = isLocked
    ? new Map(wanted.locked.map(({ name, sha256 }) => [name, [sha256]]))
    : allowedHashes(wanted.requirements);
  for (const { name, sha256, file } of fetched) {
    const allowed = hashes.get(name) ?? [];
    if (allowed.length > 0 && !allowed.includes(sha256))
      throw new InstallError(
        'SOURCE_DAMAGED',
        `the index sent ${file} with the SHA-256 ${sha256} instead of ${allowed.join(' or ')}; the file was not used`,
      );
  }
  const wheels = fetched.filter(({ file }) => file.endsWith('.whl'));
  const from = sources.length > 0 && wheels.length > 0 ? 'again' : 'fetched';
  // pip ran code of the packages to build, which could change the others. So these are fetched without it.
  if (from === 'again')
    await download(
      { lines: wheels.map(lockedLine), args: [...exact, ...wheelsOnly], name: from },
      index,
      options,
    );
  const built: FetchedPythonPackage[] = [];
  for (const [at, { file }] of sources.entries()) {
    const place = await workFolder(`build-${at}`, options);
    await copyFile(join(folder, 'fetched', file), join(place, file));
    await openToRun(join(place, file));
    await runPip(
      ['wheel', '--no-deps', '--wheel-dir', `${work}/left`, ...formats, `${work}/${file}`],
      index,
      { ...options, folder: place },
    );
    built.push(...(await takeFiles(place, join(folder, 'built'))));
  }
  const provided = settings.provided.map(pythonName);
  const isFetched = ({ name }: FetchedPythonPackage): boolean => !provided.includes(name);
  return {
    version,
    packages: fetched.filter(isFetched),
    wheels: [
      ...wheels.map((each) => ({ ...each, at: from })),
      ...built.map((each) => ({ ...each, at: 'built' })),
    ]
      .filter(isFetched)
      .map(({ at, file }) => join(folder, at, file)),
  };
}

const wheelsOnly = ['--only-binary', ':all:'];
const exact = ['--no-deps', '--require-hashes'];

function lockedLine({ name, version, sha256 }: FetchedPythonPackage): string {
  return `${name}==${version} --hash=sha256:${sha256}`;
}

/** Downloads files of an index to the folder `name`. */
async function download(
  { lines, args, name }: { lines: readonly string[]; args: readonly string[]; name: string },
  index: PackageIndex,
  options: DependencyOptions,
): Promise<{ version: string; fetched: FetchedPythonPackage[] }> {
  const place = await workFolder(`${name}-work`, options);
  await writeForRun(join(place, 'requirements.txt'), `${lines.join('\n')}\n`);
  const { stdout } = await runPip(
    ['download', '--dest', `${work}/left`, ...args, '-r', `${work}/requirements.txt`],
    index,
    { ...options, folder: place },
  );
  const version = /^python (\d+\.\d+)$/m.exec(Buffer.from(stdout).toString())?.[1] ?? '';
  return { version, fetched: await takeFiles(place, join(options.folder, name)) };
}

/**
 * Moves what a run of pip has left to a folder that no later run can write. Code of a package may have made it: nothing is
 * followed, and only what is a file counts.
 */
async function takeFiles(place: string, into: string): Promise<FetchedPythonPackage[]> {
  const left = join(place, 'left');
  if (!(await lstat(left)).isDirectory()) throw notAFile(left);
  await mkdir(into, { recursive: true });
  const files: FetchedPythonPackage[] = [];
  for (const file of (await readdir(left)).sort()) {
    const named = namedPackage(file);
    const taken = join(into, file);
    await rename(join(left, file), taken);
    files.push({ kind: 'python', ...named, file, sha256: await sha256Of(taken) });
  }
  return files;
}

function allowedHashes(requirements: readonly Requirement[]): Map<string, string[]> {
  const byName = Map.groupBy(requirements, ({ name }) => name);
  return new Map([...byName].map(([name, each]) => [name, each.flatMap(({ hashes }) => hashes)]));
}

function namedPackage(file: string): { name: string; version: string } {
  const [, name = '', version = ''] =
    /^([A-Za-z0-9._]+)-([^-]+)(?:-[^-]+)?-[^-]+-[^-]+-[^-]+\.whl$/.exec(file) ??
    /^(.+)-([^-]+?)\.(?:tar\.gz|zip)$/.exec(file) ??
    [];
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(pythonName(name)) && /^[A-Za-z0-9][\w.+!]*$/.test(version))
    return { name: pythonName(name), version };
  throw new InstallError(
    'SOURCE_DAMAGED',
    `the index has a file ${JSON.stringify(file.slice(0, 200))}, which is not named like a package`,
  );
}

async function sha256Of(place: string): Promise<string> {
  const handle = await openLeftFile(place);
  try {
    const digest = createHash('sha256');
    for await (const piece of handle.createReadStream({ autoClose: false })) digest.update(piece as Buffer);
    return digest.digest('hex');
  } finally {
    await handle.close();
  }
}
