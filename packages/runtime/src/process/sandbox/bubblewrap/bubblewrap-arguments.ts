import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { SandboxFolders } from '@ambit/core/policy';
import { channelVariables } from '../../../spawn/start-program.ts';
import { launcherPath } from '../launcher/launcher.ts';
import type { SandboxedCommand } from '../sandbox.ts';
import { ownFolder } from '../sandbox.ts';
import { hostName } from './system-files.ts';
import type { SystemRoot } from './system-root.ts';
import { userInside } from './user-namespace.ts';

/** The parts of a sandbox that are not in its command. */
export interface BubblewrapSettings {
  system: SystemRoot;
  folders: SandboxFolders;
  /**
   * Descriptors that bubblewrap inherits. `userNamespace` is set when the daemon is root; see
   * `userNamespace`.
   */
  descriptors: {
    status: number;
    filter: number;
    userNamespace: number | undefined;
    launcher: number;
    /** `systemFiles`, by path inside. */
    system: Readonly<Record<string, number>>;
    /** By path inside. */
    contents: Readonly<Record<string, number>>;
  };
}

/**
 * An empty folder inside. If it is visible from outside, the process has the sandbox's root and no
 * longer the host's.
 */
export const readyMark = `${ownFolder}/ready`;

/** The arguments for `bwrap`. */
export function bubblewrapArguments(settings: BubblewrapSettings, command: SandboxedCommand): string[] {
  return [...bubblewrapOptions(settings, command), '--', launcherPath, ...command.argv];
}

/** The arguments without the command. Later mounts cover earlier ones. */
export function bubblewrapOptions(
  { system, folders: sizes, descriptors }: BubblewrapSettings,
  { cwd, mounts, hidden = [], links = {}, folders = [], workspace, stateFile, proxy, host }: SandboxedCommand,
): string[] {
  const { status, filter, userNamespace, launcher, contents } = descriptors;
  const privateDirectory = (path: string, bytes: number): string[] => [
    ...['--size', String(bytes), '--tmpfs', path],
  ];
  const uid = String(host?.uid ?? userInside);
  const gid = String(host?.gid ?? userInside);
  const namespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup'].filter(
    (name) => host === undefined || name !== 'net',
  );
  return [
    ...(userNamespace === undefined
      ? ['--unshare-user', '--disable-userns']
      : ['--userns', String(userNamespace)]),
    // Named one by one: --unshare-all would continue without a namespace that is unavailable.
    ...namespaces.map((name) => `--unshare-${name}`),
    ...['--uid', uid, '--gid', gid, '--hostname', host === undefined ? hostName : hostname()],
    '--die-with-parent',
    '--new-session',
    ...system.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...Object.entries({ ...system.links, ...links }).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    // A device on a mount without devices cannot be opened.
    ...system.covered.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Written into the root itself, which becomes read-only at the end: a mount for each would take
    // longer.
    ...Object.entries(descriptors.system).flatMap(([path, descriptor]) => [
      ...['--perms', '0444', '--file', String(descriptor), path],
    ]),
    // /dev is bubblewrap's own unbounded tmpfs; shared memory gets a bounded one.
    ...privateDirectory('/dev/shm', sizes.shared),
    ...['--remount-ro', '/dev'],
    ...privateDirectory('/tmp', sizes.temporary),
    ...(workspace === undefined ? [] : privateDirectory(workspace, sizes.workspace)),
    // Room for the file and for its replacement.
    ...(stateFile === undefined ? [] : privateDirectory(dirname(stateFile.path), 4 * stateFile.bytesMax)),
    ...[readyMark, ...folders].flatMap((path) => ['--dir', path]),
    ...mounts.flatMap(({ source, target, writable = false, identity }) => [
      // A missing file is detected together with replaced ones, in `checkMounts`.
      `${writable ? '--bind' : '--ro-bind'}${identity === undefined ? '' : '-try'}`,
      source,
      target,
    ]),
    ...Object.entries(contents).flatMap((content) => file(...content, '0444')),
    ...['--perms', '0555', '--file', String(launcher), launcherPath],
    // Hidden before anything below could need it, and never accessible again.
    ...hidden.flatMap((path) => ['--size', '4096', '--perms', '0000', '--tmpfs', path, '--remount-ro', path]),
    // The root is a tmpfs of bubblewrap's own: without this, a skill could fill memory there.
    ...['--remount-ro', '/'],
    ...['--chdir', cwd],
    ...['--json-status-fd', String(status)],
    ...['--seccomp', String(filter)],
    ...(proxy === undefined ? [] : channelVariables.flatMap((name) => ['--unsetenv', name])),
  ];
}

function file(path: string, descriptor: number, mode: string): string[] {
  return ['--perms', mode, '--ro-bind-data', String(descriptor), path];
}
