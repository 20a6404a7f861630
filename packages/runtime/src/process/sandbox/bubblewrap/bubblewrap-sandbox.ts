import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { searchPath } from '../../../spawn/search-path.ts';
import { closeAll, type UnnamedFile, unnamedFile, unnamedFiles } from '../../../spawn/unnamed-file.ts';
import { cgroupLimits } from '../cgroup/cgroup-limits.ts';
import type { ResourceLimits } from '../cgroup/resource-limits.ts';
import { launcherFiles } from '../launcher/launcher-files.ts';
import { ownHardLimits, type Rlimits } from '../launcher/rlimits.ts';
import type { Sandbox } from '../sandbox.ts';
import { isFilterable, seccompFilter } from '../seccomp/filter.ts';
import { bubblewrapProgram } from './bubblewrap-program.ts';
import { filesUser, hostUsers } from './host-users.ts';
import { startAhead } from './start-ahead.ts';
import { kindOf, type OwnFiles, type SandboxHost, startBubblewrap, startProcess } from './start-process.ts';
import { gitConfiguration, systemFiles } from './system-files.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';

/** The path of bubblewrap, and how runs are limited and started. */
export interface BubblewrapOptions {
  /** The program; a bare name is looked up in `searchPath`. */
  file?: string;
  /** Limits a run as a whole; detected if absent, none if `null`. */
  resourceLimits?: ResourceLimits | null | undefined;
  /** Whether shells wait for the next runs, which then start faster. For a long-lived process. Default: no. */
  startsAhead?: boolean;
}

/** Facts about this machine, collected once. */
interface HostFacts {
  system: SystemRoot;
  hardLimits: Rlimits;
}

/**
 * The Linux sandbox: bubblewrap with all namespaces new, a root built from nothing, a seccomp
 * filter, limits for each process, and cgroups where they are writable. Everything inside is in its
 * pid namespace, so killing the outer process ends the whole tree.
 */
export function bubblewrapSandbox({
  file: named = 'bwrap',
  resourceLimits: configured,
  startsAhead = false,
}: BubblewrapOptions = {}): Sandbox {
  const cgroups = (configured === undefined ? cgroupLimits() : configured) ?? undefined;
  const file = pathOf(named);
  const users = process.getuid?.() === 0 ? hostUsers(file) : undefined;
  const own = ownFiles(users !== undefined);
  let hostFacts: Promise<HostFacts> | undefined;
  const facts = (): Promise<HostFacts> => {
    hostFacts ??= prepare();
    // The next call tries again: the cause may have been fixed.
    hostFacts.catch(() => (hostFacts = undefined));
    return hostFacts;
  };
  const host: SandboxHost = { file, users, cgroups, own, facts };
  const ahead = startsAhead ? startAhead(host) : undefined;
  const closeRest = (): void => {
    cgroups?.close();
    users?.close();
    if (own === undefined) return;
    closeAll(own.filters);
    closeAll(own.system);
    own.launchers.close();
  };
  return {
    name: 'bubblewrap',
    boundsRuns: cgroups !== undefined,
    hostUser: users && filesUser,
    limitAll: (memoryBytes) => cgroups?.limitAll(memoryBytes) ?? false,
    async start(command, limits) {
      const kind = kindOf(command, limits);
      // Nothing with the rights of a user starts before its call is recorded.
      const waiting = command.host === undefined ? ahead : undefined;
      waiting?.used(kind);
      const { program, cgroup, release } =
        (await waiting?.take(kind, command)) ??
        (await startProcess(host, kind, command.contents, (bubblewrap, inherited) =>
          startBubblewrap(bubblewrap, inherited, command),
        ));
      return bubblewrapProgram(program, {
        cgroup,
        cpuMs: limits?.cpuMs,
        proxy: command.proxy,
        workspace: command.workspace,
        stateFile: command.stateFile,
        host: command.host,
        pinned: command.mounts.filter(({ identity }) => identity !== undefined),
        onClosed() {
          release();
          waiting?.used(kind);
        },
      });
    },
    // Without waiting shells it is synchronous, so a process can call it at its exit.
    close: () => (ahead === undefined ? closeRest() : ahead.close().then(closeRest)),
  };
}

/** The files that every sandbox reads. `undefined` on an unsupported architecture. */
function ownFiles(isOtherUser: boolean): OwnFiles | undefined {
  if (!isFilterable(process.arch)) return undefined;
  const files = isOtherUser ? { ...systemFiles, ...gitConfiguration } : systemFiles;
  const texts = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]);
  const system = unnamedFiles(Object.fromEntries(texts));
  let usual: UnnamedFile | undefined;
  try {
    usual = unnamedFile(seccompFilter(process.arch));
    const withUnixSockets = unnamedFile(seccompFilter(process.arch, { unixSockets: true }));
    return { filters: { usual, withUnixSockets }, system, launchers: launcherFiles(process.arch) };
  } catch (error) {
    closeAll(system);
    usual?.close();
    throw error;
  }
}

async function prepare(): Promise<HostFacts> {
  return { system: await systemRoot(), hardLimits: ownHardLimits() };
}

/** An absolute path: bubblewrap starts with the skill's environment, which has another `PATH`. */
function pathOf(name: string): string {
  if (name.includes('/')) return name;
  const paths = searchPath.split(':').map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? name;
}
