import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import {
  type CallProxy,
  followRedirects,
  hostProgram,
  howToInstall,
  type SandboxedRun,
} from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import type { DependencyOptions, FetchedPythonPackage, PackageIndex } from './dependency-options.ts';
import { pythonName, type Requirement } from './requirement.ts';
import { notAFile, openLeftFile, runAtIndex, work, workFolder } from './run-at-index.ts';

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
    await pip(['wheel', '--no-deps', '--wheel-dir', `${work}/left`, ...formats, `${work}/${file}`], index, {
      ...options,
      folder: place,
    });
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
  await writeFile(join(place, 'requirements.txt'), `${lines.join('\n')}\n`, { mode: 0o644 });
  const { stdout } = await pip(
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

/** Runs pip and prints the interpreter's version first. `-I`: no module of the working directory, no variable counts. */
const program = `import sys
print('python %d.%d' % sys.version_info[:2], flush=True)
import importlib.util, runpy
if importlib.util.find_spec('pip') is None or importlib.util.find_spec('pip.__main__') is None:
    sys.exit(97)
sys.argv[0] = 'pip'
runpy.run_module('pip', run_name='__main__', alter_sys=True)`;
const noPip = 97;

async function pip(
  args: readonly string[],
  index: PackageIndex,
  options: DependencyOptions,
): Promise<SandboxedRun> {
  const neededBy = 'Locking Python packages';
  const python = hostProgram('python3', neededBy);
  const [name = '', ...rest] = args;
  const own = ['--isolated', '--no-input', '--no-cache-dir', '--disable-pip-version-check', '--no-color'];
  const ofIndex = ['--index-url', `${index.url}/`, '--retries', '1', '--timeout', '30'];
  const argv = (certificates: string): [string, ...string[]] => [
    ...([python.path, '-I', '-B', '-c', program, name] as [string, ...string[]]),
    ...[...own, '--progress-bar', 'off', '--cert', certificates, ...ofIndex, ...rest],
  ];
  return runAtIndex({ key: 'python', index, program: python, argv }, options, async (run, proxy) => {
    if (run.end.status === 'exited' && run.end.exitCode === noPip)
      throw new SkillError(
        'PROGRAM_MISSING',
        `${neededBy} needs pip, which the Python of this system lacks. ${howToInstall('pip')}`,
      );
    if (run.end.status !== 'exited' || run.end.exitCode !== 0) throw await failed(run, index, proxy);
    return run;
  });
}

async function failed(
  { end, stdout, stderr }: SandboxedRun,
  index: PackageIndex,
  proxy: CallProxy,
): Promise<InstallError> {
  const text = Buffer.from(stderr).toString();
  if (end.status !== 'exited')
    return new InstallError(
      end.status === 'timed-out' || end.status === 'canceled' ? 'SOURCE_UNREACHABLE' : 'SOURCE_TOO_LARGE',
      `pip did not finish with the packages of ${index.url}: ${end.status}`,
    );
  if (/No space left on device/.test(text))
    return new InstallError('SOURCE_TOO_LARGE', 'the disk is full: there is no room for the packages');
  const missing = /No matching distribution found for ([\w.-]+)/.exec(text)?.[1];
  if (missing !== undefined && !/ResolutionImpossible/.test(text))
    return whyMissing(missing, text, index, proxy);
  const why = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(WARNING|DEPRECATION|\[notice\]|To fix this)/.test(line))
    .join(' ')
    .slice(0, 1000);
  if (/ResolutionImpossible|conflicting dependencies/.test(text)) {
    const [, causes = ''] =
      /The conflict is caused by:\n((?: +.*\n)+)/.exec(Buffer.from(stdout).toString()) ?? [];
    const listed = causes
      .split('\n')
      .map((line) => line.trim().replace(/^The user requested /, 'the skill needs '));
    return new InstallError(
      'DEPENDENCY_UNRESOLVED',
      `no set of versions meets all requirements: ${listed.filter(Boolean).join('; ').slice(0, 1000) || why}`,
    );
  }
  if (
    /Connection(?:Error| refused| broken| aborted)|Max retries|Read timed out|HTTP error|ProxyError/.test(
      text,
    )
  )
    return new InstallError('SOURCE_UNREACHABLE', `the index ${index.url} did not send a package: ${why}`);
  return new InstallError('SOURCE_DAMAGED', `pip refused a package of ${index.url}: ${why}`);
}

/** pip does not say why an index has no usable file, so its page is read. */
async function whyMissing(
  name: string,
  text: string,
  index: PackageIndex,
  proxy: CallProxy,
): Promise<InstallError> {
  const page = new URL(`${index.url}/${pythonName(name)}/`);
  const answer = await followRedirects(proxy, page).catch((cause: Error) => cause);
  if (answer instanceof Error || (answer.status !== 200 && answer.status !== 404))
    return new InstallError(
      'SOURCE_UNREACHABLE',
      `the index ${index.url} cannot be read: ${answer instanceof Error ? answer.message : `it answered with status ${answer.status}`}`,
    );
  const files = Buffer.from(answer.body).toString();
  if (answer.status === 200 && /\.(?:tar\.gz|zip)["#<]/.test(files) && /from versions: none/.test(text))
    return needsBuild(pythonName(name));
  const asked = /satisfies the requirement (.{1,200}?) \(from/.exec(text)?.[1] ?? name;
  return new InstallError(
    'DEPENDENCY_UNRESOLVED',
    `the index ${index.url} has no version of ${name} that meets ${JSON.stringify(asked)} and fits this machine`,
  );
}

function needsBuild(name: string): InstallError {
  return new InstallError(
    'DEPENDENCY_NEEDS_BUILD',
    `${name} has no wheel for this machine, only its source, and building that runs its code. To build it in the sandbox, add to ambit.config.yaml: installs: { dependencies: { allowBuild: [${name}] } }`,
  );
}
