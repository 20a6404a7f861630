import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { hostProgram, type SandboxedRun } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { servedBounds } from '../source/source-bounds.ts';
import type { DependencyOptions, PackageIndex } from './dependency-options.ts';
import { type ResolvedPackage, readNpmLock } from './npm-lock.ts';
import type { Requirement } from './requirement.ts';
import { openLeftFile, runAtIndex, work, workFolder, writeForRun } from './run-at-index.ts';

/** Packages of npm that a skill needs. */
export interface NpmRequirements {
  requirements: readonly Requirement[];
  /** The text of the skill's `package-lock.json`: its versions are used where they meet the requirements. */
  packageLock?: string | undefined;
}

/**
 * Chooses the versions that the requirements need. npm runs in the sandbox, reaches only the registry and fetches no package;
 * no script runs. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` and `PROGRAM_MISSING`.
 */
export async function resolveNpm(
  { requirements, packageLock }: NpmRequirements,
  registry: PackageIndex,
  options: DependencyOptions,
): Promise<readonly ResolvedPackage[]> {
  const program = hostProgram('npm', 'Locking npm packages');
  const folder = await workFolder('npm-work', options);
  const content = { private: true, dependencies: rangesOf(requirements) };
  await writeForRun(join(folder, 'package.json'), JSON.stringify(content));
  if (packageLock !== undefined) {
    requireJson(packageLock);
    await writeForRun(join(folder, lockName), packageLock);
    const { hostUser } = options.sandbox;
    if (hostUser !== undefined) await chown(join(folder, lockName), hostUser, hostUser);
  }
  // npm may be a script beside which its modules are.
  const { unknownFolder: beside } = program;
  const mounts = [...program.mounts, ...(beside === undefined ? [] : [{ source: beside, target: beside }])];
  const argv = (): [string, ...string[]] => [
    program.path,
    'install',
    ...flags,
    `--registry=${registry.url}/`,
  ];
  await runAtIndex(
    { key: 'node', index: registry, program: { ...program, mounts }, argv },
    { ...options, folder },
    async (run) => {
      if (run.end.status !== 'exited' || run.end.exitCode !== 0) throw failed(run, registry);
    },
  );
  const opened = await openLeftFile(join(folder, lockName));
  try {
    if ((await opened.stat()).size > servedBounds.artifactBytes)
      throw new InstallError('SOURCE_TOO_LARGE', 'the skill needs too many npm packages to lock');
    return readNpmLock(await opened.readFile(), registry);
  } finally {
    await opened.close();
  }
}

const lockName = 'package-lock.json';

const flags = [
  ...['--package-lock-only', '--lockfile-version=3', '--ignore-scripts', '--no-audit', '--no-fund'],
  ...['--no-update-notifier', '--no-progress', '--loglevel=error', '--logs-max=0'],
  ...['--fetch-retries=1', '--fetch-retry-mintimeout=100', '--fetch-timeout=30000'],
  ...[`--cache=${work}/tmp/cache`, `--userconfig=${work}/tmp/user`, `--globalconfig=${work}/tmp/global`],
];

/** One range for each name. `*`, which is any version, gives way to another range. */
function rangesOf(requirements: readonly Requirement[]): Record<string, string> {
  const ranges = new Map<string, string>();
  for (const { name, text } of requirements) {
    const range = text.slice(name.length + 1);
    const other = ranges.get(name) ?? '*';
    if (other !== '*' && range !== '*' && other !== range)
      throw new InstallError(
        'DEPENDENCY_UNRESOLVED',
        `no set of versions meets all requirements: ${name} is needed as ${JSON.stringify(other)} and as ${JSON.stringify(range)}`,
      );
    ranges.set(name, range === '*' ? other : range);
  }
  return Object.fromEntries(ranges);
}

function requireJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new InstallError('DEPENDENCY_UNSUPPORTED', `${lockName} of the skill is not JSON`, { cause });
  }
}

function failed({ end, stderr }: SandboxedRun, { url }: PackageIndex): InstallError {
  if (end.status !== 'exited')
    return new InstallError(
      end.status === 'timed-out' || end.status === 'canceled' ? 'SOURCE_UNREACHABLE' : 'SOURCE_TOO_LARGE',
      `npm did not finish with the packages of ${url}: ${end.status}`,
    );
  const lines = Buffer.from(stderr)
    .toString()
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.*)$/.exec(line)?.[1]?.trim() ?? []);
  const code = /^code (\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  const text = lines
    .filter((line) => !/^(?:code |A complete log|If you are behind|Note that)/.test(line))
    .join(' ');
  const why = text.replaceAll(/\s+/g, ' ').slice(0, 1000);
  if (code === 'ENOSPC')
    return new InstallError('SOURCE_TOO_LARGE', 'the disk is full: there is no room for the packages');
  if (/^(?:E404|ETARGET|ENOVERSIONS|ERESOLVE|EBADPLATFORM|EINVALIDTAGNAME)$/.test(code))
    return new InstallError(
      'DEPENDENCY_UNRESOLVED',
      `the registry ${url} has no versions that meet all requirements: ${why}`,
    );
  if (
    /\bspawn git\b|\bgit error\b/.test(why) ||
    /^(?:EUNSUPPORTEDPROTOCOL|EUNSUPPORTEDURL|EALLOWGIT|ENOLOCAL)$/.test(code)
  )
    return new InstallError(
      'DEPENDENCY_UNSUPPORTED',
      `a package needs a repository, a URL or a path; only packages of the configured registry are used: ${why}`,
    );
  if (/^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|E[45]\d\d)$/.test(code))
    return new InstallError('SOURCE_UNREACHABLE', `the registry ${url} did not send a package: ${why}`);
  return new InstallError('SOURCE_DAMAGED', `npm cannot read the packages of ${url}: ${why || code}`);
}
