import { SkillError } from '@ambit/core';
import { runBounded } from './run-bounded.ts';
import type { Sandbox, SandboxedCommand } from './sandbox.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';

/** Where bubblewrap lies and how much of memory a call may use as files. */
export interface BubblewrapOptions {
  /** The program; found in the usual places when absent. */
  file?: string;
  /** For `/tmp` and for each private directory. */
  directoryBytes?: number;
}

/**
 * The sandbox on Linux: bubblewrap, with all namespaces new and a root built from nothing. Killing the outer process
 * ends the whole tree, because everything inside lives in its pid namespace.
 */
export function bubblewrapSandbox({
  file = 'bwrap',
  directoryBytes = 64 * 1024 * 1024,
}: BubblewrapOptions = {}): Sandbox {
  const system = systemRoot();
  return {
    name: 'bubblewrap',
    async run(command, bounds, signal) {
      const args = bubblewrapArguments(await system, command, directoryBytes);
      const run = await runBounded(file, args, { env: { PATH: searchPath }, bounds, signal });
      // bubblewrap reports the exit code of what it ran; without a report it never got that far.
      if (run.end.status === 'exited' && !run.control.includes('"exit-code"')) {
        throw new SkillError(
          'SANDBOX_UNAVAILABLE',
          'bubblewrap could not raise the sandbox; "ambit doctor" says what this machine lacks',
          { cause: new Error(new TextDecoder().decode(run.stderr).trim()) },
        );
      }
      return run;
    },
  };
}

/** Where programs of the host are looked for. Not the daemon's own PATH, which anybody may have put anything into. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin';

/** The arguments for `bwrap`, as a pure function of what shall exist inside. Later ones cover earlier ones. */
export function bubblewrapArguments(
  system: SystemRoot,
  { argv, env, cwd, mounts, links = {}, directories = [] }: SandboxedCommand,
  directoryBytes: number,
): string[] {
  const privateDirectory = (path: string): string[] => ['--size', String(directoryBytes), '--tmpfs', path];
  return [
    // Named one by one: --unshare-all would go on without a user or cgroup namespace where it cannot have one.
    ...['user', 'ipc', 'pid', 'net', 'uts', 'cgroup'].map((namespace) => `--unshare-${namespace}`),
    '--disable-userns',
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'ambit'],
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...system.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...Object.entries({ ...system.links, ...links }).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/tmp', ...directories].flatMap(privateDirectory),
    ...mounts.flatMap(({ source, target, writable = false }) => [writable ? '--bind' : '--ro-bind', source, target]),
    // The root itself is a tmpfs of bubblewrap's own: without this a skill could fill memory there.
    ...['--remount-ro', '/'],
    ...['--chdir', cwd],
    ...['--json-status-fd', '3'],
    '--',
    ...argv,
  ];
}
