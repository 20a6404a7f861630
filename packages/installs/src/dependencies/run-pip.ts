import { SkillError } from '@ambit/core';
import {
  type CallProxy,
  followRedirects,
  hostProgram,
  howToInstall,
  type SandboxedRun,
} from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import type { DependencyOptions, PackageIndex } from './dependency-options.ts';
import { pythonName } from './requirement.ts';
import { runAtIndex } from './run-at-index.ts';

/** Prints the interpreter's version, then runs pip. With `-I`, no module of the working directory and no variable counts. */
const program = `import sys
print('python %d.%d' % sys.version_info[:2], flush=True)
import importlib.util, runpy
if importlib.util.find_spec('pip') is None or importlib.util.find_spec('pip.__main__') is None:
    sys.exit(97)
sys.argv[0] = 'pip'
runpy.run_module('pip', run_name='__main__', alter_sys=True)`;
const noPip = 97;

/**
 * Runs pip in the sandbox, where it reaches only the index. Its first output is the version of the interpreter: `python 3.11`.
 * Rejects with an `InstallError` that says why pip failed, and with `PROGRAM_MISSING`.
 */
export async function runPip(
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

/** The refusal of a package that has no wheel for this machine. */
export function needsBuild(name: string): InstallError {
  return new InstallError(
    'DEPENDENCY_NEEDS_BUILD',
    `${name} has no wheel for this machine, only its source, and building that runs its code. To build it in the sandbox, add to ambit.config.yaml: installs: { dependencies: { allowBuild: [${name}] } }`,
  );
}
