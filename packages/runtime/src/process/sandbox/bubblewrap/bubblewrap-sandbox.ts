import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { nextTurn } from '../../../stream/turns.ts';
import { searchPath } from '../../spawn/search-path.ts';
import { startProgram } from '../../spawn/start-program.ts';
import { closeAll, type UnnamedFile, unnamedFile, unnamedFiles } from '../../spawn/unnamed-file.ts';
import { type CgroupEntry, cgroupEntry } from '../cgroup/cgroup-entry.ts';
import { cgroupLimits } from '../cgroup/cgroup-limits.ts';
import type { Cgroup, ResourceLimits } from '../cgroup/resource-limits.ts';
import { launcherFiles } from '../launcher/launcher-files.ts';
import { ownHardLimits, type Rlimits, rlimitsFor } from '../launcher/rlimits.ts';
import type { Sandbox } from '../sandbox.ts';
import { isFilterable, seccompFilter } from '../seccomp/filter.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { bubblewrapProgram } from './bubblewrap-program.ts';
import { filesUser, hostUsers, type UserLease } from './host-users.ts';
import { openFiles } from './open-files.ts';
import { systemFiles } from './system-files.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';

/** The path of bubblewrap, and the memory that a call may use for files. */
export interface BubblewrapOptions {
  /** The program; a bare name is looked up in `searchPath`. */
  file?: string;
  /** For `/tmp` and for each private directory. */
  directoryBytes?: number;
  /** Limits a run as a whole; detected if absent, none if `null`. */
  resourceLimits?: ResourceLimits | null | undefined;
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
  directoryBytes = 64 * 1024 * 1024,
  resourceLimits: configured,
}: BubblewrapOptions = {}): Sandbox {
  const cgroups = (configured === undefined ? cgroupLimits() : configured) ?? undefined;
  const file = pathOf(named);
  const users = process.getuid?.() === 0 ? hostUsers(file) : undefined;
  const own = ownFiles();
  let hostFacts: Promise<HostFacts> | undefined;
  const prepared = (): Promise<HostFacts> => {
    hostFacts ??= prepare();
    // The next call tries again: the cause may have been fixed.
    hostFacts.catch(() => (hostFacts = undefined));
    return hostFacts;
  };
  return {
    name: 'bubblewrap',
    boundsRuns: cgroups !== undefined,
    hostUser: users && filesUser,
    async start(command, limits) {
      const { proxy, workspace, stateFile, contents = {}, ownsFiles = false } = command;
      let user: UserLease | undefined;
      let cgroup: Cgroup | undefined;
      let entry: CgroupEntry | undefined;
      let open: ReturnType<typeof openFiles> | undefined;
      try {
        if (own === undefined)
          throw new Error(`Ambit has no seccomp filter and no launcher for ${process.arch}`);
        const { system, hardLimits } = await prepared();
        // Starting a process blocks the event loop while the kernel copies the daemon's page
        // tables.
        await nextTurn();
        user = await users?.lease(ownsFiles);
        // bubblewrap's init, plus its outer process when it joins an existing namespace.
        const alone = cgroups === undefined ? { beside: user === undefined ? 1 : 2 } : undefined;
        const rlimits = rlimitsFor(limits, alone, hardLimits);
        const launcher = own.launchers.launcherFor({ proxy: proxy !== undefined, rlimits });
        cgroup = limits && cgroups?.open(limits);
        const filter = own.filters[command.unixSockets === true ? 'withUnixSockets' : 'usual'];
        open = openFiles({ filter, system: own.system, launcher, contents, userNamespace: user?.namespace });
        const { files, descriptors: descriptorsFrom } = open;
        const argumentsFor = (first: number): string[] => {
          const descriptors = { status: 3, ...descriptorsFrom(first) };
          return bubblewrapArguments({ system, directoryBytes, descriptors }, command);
        };
        // Passed in bubblewrap's environment: every user of the host can read its command line.
        entry = cgroupEntry(cgroup, file);
        const program = startProgram(entry.file, entry.args(argumentsFor), {
          ...{ env: command.env, user: user?.uid, channel: proxy !== undefined },
          files: [...entry.files, ...files],
        });
        const pinned = command.mounts.filter(({ identity }) => identity !== undefined);
        const onClosed = (): void => user?.release();
        return bubblewrapProgram(program, {
          cgroup,
          onClosed,
          cpuMs: limits?.cpuMs,
          workspace,
          stateFile,
          proxy,
          pinned,
        });
      } catch (error) {
        await cgroup?.close();
        user?.release();
        throw notPrepared(error);
      } finally {
        // bubblewrap has inherited them by now.
        open?.close();
        entry?.close();
      }
    },
    close() {
      cgroups?.close();
      users?.close();
      if (own === undefined) return;
      closeAll(own.filters);
      closeAll(own.system);
      own.launchers.close();
    },
  };
}

interface OwnFiles {
  filters: Readonly<Record<'usual' | 'withUnixSockets', UnnamedFile>>;
  system: Readonly<Record<string, UnnamedFile>>;
  launchers: ReturnType<typeof launcherFiles>;
}

/** The files that every sandbox reads. `undefined` on an unsupported architecture. */
function ownFiles(): OwnFiles | undefined {
  if (!isFilterable(process.arch)) return undefined;
  const texts = Object.entries(systemFiles).map(([path, text]) => [path, Buffer.from(text)]);
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

function notPrepared(cause: unknown): SkillError {
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'bubblewrap could not start the sandbox; run "ambit doctor" to see what is missing',
    { cause },
  );
}
