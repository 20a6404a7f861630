import { SkillError } from '@ambit/core';
import { sandboxFolders } from '@ambit/core/policy';
import { type Program, startProgram } from '../../../spawn/start-program.ts';
import type { UnnamedFile } from '../../../spawn/unnamed-file.ts';
import { nextTurn } from '../../../stream/turns.ts';
import { type CgroupEntry, cgroupEntry } from '../cgroup/cgroup-entry.ts';
import type { Cgroup, ResourceLimits } from '../cgroup/resource-limits.ts';
import type { launcherFiles } from '../launcher/launcher-files.ts';
import { type Rlimits, rlimitsFor } from '../launcher/rlimits.ts';
import type { RunLimits, SandboxedCommand } from '../sandbox.ts';
import { type BubblewrapSettings, bubblewrapArguments } from './bubblewrap-arguments.ts';
import type { HostUsers, UserLease } from './host-users.ts';
import { openFiles } from './open-files.ts';
import type { SystemRoot } from './system-root.ts';

/** The facts that decide which files, limits and user the process of a sandbox starts with. */
export interface SandboxKind {
  limits: RunLimits | undefined;
  ownsFiles: boolean;
  unixSockets: boolean;
  proxy: boolean;
  /** Whether it has the rights of a user of the host. */
  host: boolean;
}

/** The kind of sandbox that a command needs. */
export function kindOf(
  { ownsFiles = false, unixSockets = false, proxy, host }: SandboxedCommand,
  limits: RunLimits | undefined,
): SandboxKind {
  return { limits, ownsFiles, unixSockets, proxy: proxy !== undefined, host: host !== undefined };
}

/** Ambit's own files that every sandbox reads. */
export interface OwnFiles {
  filters: Readonly<Record<'usual' | 'withUnixSockets', UnnamedFile>>;
  system: Readonly<Record<string, UnnamedFile>>;
  launchers: ReturnType<typeof launcherFiles>;
}

/** The parts of this machine that all sandboxes share. */
export interface SandboxHost {
  /** The path of bubblewrap. */
  file: string;
  users: HostUsers | undefined;
  cgroups: ResourceLimits | undefined;
  /** `undefined` on an unsupported architecture. */
  own: OwnFiles | undefined;
  /** Collected once. Rejects if the machine lacks a requirement. */
  facts(): Promise<{ system: SystemRoot; hardLimits: Rlimits }>;
}

/** The cgroup, files and user that a new process inherits, and the settings of a bubblewrap that has them. */
export interface Inheritance {
  entry: CgroupEntry;
  files: readonly number[];
  user: number | undefined;
  settings: BubblewrapSettings;
}

/** A process that is bubblewrap or a shell that will execute it, and what it holds until its end. */
export interface StartedProcess {
  program: Program;
  settings: BubblewrapSettings;
  cgroup: Cgroup | undefined;
  /** Call when every process of the sandbox has ended. */
  release(): void;
}

/**
 * Opens what a sandbox of this kind needs, and starts its process. Rejects with `SANDBOX_UNAVAILABLE`
 * if something cannot be opened or started.
 */
export async function startProcess(
  { file, users, cgroups, own, facts }: SandboxHost,
  { limits, ownsFiles, unixSockets, proxy, host }: SandboxKind,
  contents: SandboxedCommand['contents'],
  start: (file: string, inherited: Inheritance) => Program,
): Promise<StartedProcess> {
  let user: UserLease | undefined;
  let cgroup: Cgroup | undefined;
  let entry: CgroupEntry | undefined;
  let open: ReturnType<typeof openFiles> | undefined;
  try {
    if (own === undefined) throw new Error(`Ambit has no seccomp filter and no launcher for ${process.arch}`);
    const { system, hardLimits } = await facts();
    // Starting a process blocks the event loop while the kernel copies the daemon's page tables.
    await nextTurn();
    // The owner of a namespace has all rights in it. With the ids of other users mapped, a user with a login could become
    // each of them.
    user = host ? undefined : await users?.lease(ownsFiles);
    // bubblewrap's init, plus its outer process when it joins an existing namespace.
    const alone = cgroups === undefined ? { beside: user === undefined ? 1 : 2 } : undefined;
    const rlimits = rlimitsFor(limits, alone, hardLimits);
    const launcher = own.launchers.launcherFor({ proxy, rlimits });
    cgroup = limits && cgroups?.open(limits);
    const filter = own.filters[unixSockets ? 'withUnixSockets' : 'usual'];
    open = openFiles({
      filter,
      system: own.system,
      launcher,
      contents: contents ?? {},
      userNamespace: user?.namespace,
    });
    entry = cgroupEntry(cgroup);
    const descriptors = { status: 3, ...open.descriptors(entry.firstAfter) };
    const folders = sandboxFolders(limits?.memoryBytes ?? unlimitedMemoryBytes);
    const settings = { system, folders, descriptors };
    const program = start(file, { entry, files: open.files, user: user?.uid, settings });
    return { program, settings, cgroup, release: () => user?.release() };
  } catch (cause) {
    await cgroup?.close();
    user?.release();
    throw new SkillError(
      'SANDBOX_UNAVAILABLE',
      'bubblewrap could not start the sandbox; run "ambit doctor" to see what is missing',
      { cause },
    );
  } finally {
    // The process has inherited them by now.
    open?.close();
    entry?.close();
  }
}

/** Ambit's own helper programs have no limits. Their folders have the sizes of a run with this one. */
const unlimitedMemoryBytes = 128 * 1024 * 1024;

/** Starts bubblewrap with a command. */
export function startBubblewrap(
  bubblewrap: string,
  { entry, files, user, settings }: Inheritance,
  command: SandboxedCommand,
): Program {
  const args = bubblewrapArguments(settings, command);
  // Passed in bubblewrap's environment: every user of the host can read its command line.
  const options = { env: command.env, user, channel: command.proxy !== undefined };
  const [file, ...rest] = [...becoming(command.host), bubblewrap, ...args] as [string, ...string[]];
  if (entry.files.length === 0) return startProgram(file, rest, { ...options, files });
  return startProgram('/bin/sh', ['-c', entry.script, 'sh', file, ...rest], {
    ...options,
    files: [...entry.files, ...files],
  });
}

/** The command by which root becomes a user with all groups. Node could give it only one group. */
function becoming(host: SandboxedCommand['host']): string[] {
  if (host?.groups === undefined) return [];
  // With a sign it is no name: setpriv would take 1000 for the user of that name, if there is one.
  const groups = host.groups.map((id) => `+${id}`).join(',');
  const ids = [`--reuid=+${host.uid}`, `--regid=+${host.gid}`, `--groups=${groups}`];
  return [setpriv, ...ids, '--inh-caps=-all', '--'];
}

/** A program of util-linux, which every usual distribution has. */
export const setpriv = '/usr/bin/setpriv';
