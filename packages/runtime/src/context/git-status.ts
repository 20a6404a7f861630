import { hostProgram } from '../process/programs/host-program.ts';
import { runInSandbox } from '../process/sandbox/run-in-sandbox.ts';
import type { Sandbox, SandboxedCommand, SandboxedRun } from '../process/sandbox/sandbox.ts';
import { gitEnvironment } from './git-environment.ts';

/** The repository to read, and the limits. */
export interface GitStatusRequest {
  sandbox: Sandbox;
  /** The folder with the `.git`; absolute, its links resolved. */
  root: string;
  /** Folders in it that git sees as empty: relative, links resolved. */
  hidden?: readonly string[];
  /** For the whole request. */
  timeoutMs: number;
  outputBytes: number;
}

/** The output of `git status`. */
export interface GitStatus {
  /** A line for each change, in porcelain format 1; empty when there is none. */
  text: string;
  /** Whether output beyond `outputBytes` was dropped; the text then ends with a whole line. */
  isCut: boolean;
}

/**
 * The status of an untrusted repository. git runs in a sandbox with the folder read-only and no
 * network. Programs that the repository's configuration names (fsmonitor, hooks, clean filters, the
 * status of submodules) are disabled as well. Without the sandbox there is no status.
 *
 * Rejects with `SANDBOX_UNAVAILABLE` if the sandbox or git is missing, with an ordinary error if
 * git fails or is too slow, and with the signal's reason.
 */
export async function gitStatus(request: GitStatusRequest, signal: AbortSignal): Promise<GitStatus> {
  const endsAt = performance.now() + request.timeoutMs;
  const settings = await git(request, ['config', '--null', '--name-only', '--list'], {}, endsAt, signal);
  if (settings.isCut) throw new Error('git status failed: the repository configuration is too large');
  const status = [
    'status',
    '--porcelain=v1',
    '--untracked-files=normal',
    '--no-renames',
    // "dirty" avoids starting another git in each submodule, where other filters are configured.
    '--ignore-submodules=dirty',
  ];
  return git(request, status, withoutFilters(settings.text), endsAt, signal);
}

const inside = '/repository';
const megabytes = 1024 * 1024;

/** Override the repository's own settings: each of them names a program or changes the output. */
const overrides: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.excludesFile': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.quotePath': 'false',
  'color.ui': 'false',
  'status.submoduleSummary': 'false',
  'status.branch': 'false',
  'status.showStash': 'false',
  // uid, ctime and inode differ under a mount; without this, git would read every file again.
  'core.checkStat': 'minimal',
  'core.trustctime': 'false',
  'core.bigFileThreshold': '16m',
};

/**
 * git runs changed files through the filters that attributes choose. Filters can have any name, so
 * each configured one is set to nothing.
 */
function withoutFilters(keys: string): Record<string, string> {
  const names = keys.split('\0').flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  return Object.fromEntries(
    names.flatMap((name) => [
      [`filter.${name}.clean`, ''],
      [`filter.${name}.process`, ''],
      [`filter.${name}.required`, 'false'],
    ]),
  );
}

async function git(
  { sandbox, root, hidden = [], outputBytes }: GitStatusRequest,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  endsAt: number,
  signal: AbortSignal,
): Promise<GitStatus> {
  const program = hostProgram('git');
  const command: SandboxedCommand = {
    argv: [program.path, '--no-pager', ...args],
    env: { ...gitEnvironment(`${inside}/.git`, { ...overrides, ...settings }), ...environment },
    cwd: inside,
    mounts: [...program.mounts, { source: root, target: inside }],
    links: program.links,
    hidden: hidden.map((path) => `${inside}/${path}`),
    ownsFiles: true,
  };
  const timeoutMs = Math.max(1, endsAt - performance.now());
  // git status reads the working tree with up to 20 threads.
  const limits = {
    memoryBytes: 256 * megabytes,
    cpuMs: timeoutMs,
    processes: 64,
    fileBytes: 16 * megabytes,
  };
  const run = await runInSandbox(
    sandbox,
    { command, limits },
    { stdin: new Uint8Array(), timeoutMs, outputBytes },
    signal,
  );
  signal.throwIfAborted();
  return outputOf(run, args, sandbox.hostUser);
}

const environment: Readonly<Record<string, string>> = {
  // git ignores a configured work tree.
  GIT_WORK_TREE: inside,
  // Without this, `git status` would write the index.
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone would fetch missing objects through any transport that it configures.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

function outputOf(
  { end, stdout, stderr }: SandboxedRun,
  [name]: readonly string[],
  hostUser: number | undefined,
): GitStatus {
  const text = new TextDecoder().decode(stdout);
  if (end.status === 'output-too-large')
    return { text: text.slice(0, text.lastIndexOf('\n') + 1), isCut: true };
  if (end.status !== 'exited') throw new Error(`git ${name} was stopped: ${end.status}`);
  if (end.exitCode === 0) return { text, isCut: false };
  throw new Error(`git ${name} failed: ${errorLine(stderr).replaceAll(inside, '.')}${userHint(hostUser)}`);
}

/** The `fatal:` line of git's stderr, otherwise its first line. */
function errorLine(stderr: Uint8Array): string {
  const lines = new TextDecoder().decode(stderr).split('\n');
  const line = lines.find((candidate) => candidate.startsWith('fatal: ')) ?? lines[0] ?? '';
  return line.replace(/^(fatal|error): /, '').slice(0, 300);
}

function userHint(hostUser: number | undefined): string {
  return hostUser === undefined ? '' : ` (git ran as uid ${hostUser}, which must be able to read the folder)`;
}
