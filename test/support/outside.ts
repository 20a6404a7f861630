import { execFile } from 'node:child_process';

/** The end of a program. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The surroundings that a program outside Ambit sees, and may write. */
export interface Outside {
  /** The skill's folder; `/skill` in what the program prints. */
  root: string;
  /** The working directory, which it may write; `/workspace` in what the program prints. */
  workspace: string;
  /** A folder that contains both, hidden otherwise if it is below `/tmp`. */
  folder: string;
  stdin?: string;
  env?: Readonly<Record<string, string>>;
  /** The folders of its programs. */
  path?: string;
  timeoutMs: number;
}

/** Runs a stranger's program with the whole machine in sight, read-only, and without a network, in plain bubblewrap. */
export async function runOutside(
  program: readonly string[],
  {
    root,
    workspace,
    folder,
    stdin = '',
    env = {},
    path = '/usr/local/bin:/usr/bin:/bin',
    timeoutMs,
  }: Outside,
): Promise<Ended> {
  const variables = { PATH: path, HOME: '/tmp', ...env };
  const sandbox = [
    ...'--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent'.split(' '),
    '--ro-bind',
    folder,
    folder,
    '--bind',
    workspace,
    workspace,
    '--chdir',
    workspace,
    '--clearenv',
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
  ];
  return new Promise((done) => {
    const child = execFile(
      'bwrap',
      [...sandbox, ...program],
      { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        done({ code, stdout: stdout.replaceAll(root, '/skill').replaceAll(workspace, '/workspace'), stderr });
      },
    );
    child.stdin?.on('error', () => undefined).end(stdin);
  });
}
