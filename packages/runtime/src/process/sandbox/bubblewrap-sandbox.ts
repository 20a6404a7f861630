import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { nextTurn } from '../../output/turns.ts';
import { searchPath } from '../search-path.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { bubblewrapProgram } from './bubblewrap-program.ts';
import { cgroupLimits } from './cgroup/cgroup-limits.ts';
import type { Cgroup, ResourceLimits } from './cgroup/resource-limits.ts';
import { type CgroupEntry, cgroupEntry } from './cgroup-entry.ts';
import { filesUser, hostUsers, type UserLease } from './host-users.ts';
import { launcherFiles } from './launcher/launcher-files.ts';
import { ownHardLimits, type Rlimits, rlimitsFor } from './launcher/rlimits.ts';
import { openFiles } from './open-files.ts';
import type { Sandbox } from './sandbox.ts';
import { isFilterable, seccompFilter } from './seccomp/filter.ts';
import { startProgram } from './start-program.ts';
import { systemFiles } from './system-files.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';
import { type UnnamedFile, unnamedFile } from './unnamed-file.ts';

/** Where bubblewrap lies and how much of memory a call may use as files. */
export interface BubblewrapOptions {
  /** The program; looked for in `searchPath` when it is a bare name. */
  file?: string;
  /** For `/tmp` and for each private directory. */
  directoryBytes?: number;
  /** What keeps a run to its bounds as a whole; found out when absent, nothing when `null`. */
  ceilings?: ResourceLimits | null | undefined;
}

/** What a sandbox on this machine is built of, found out once. */
interface Ground {
  system: SystemRoot;
  hardLimits: Rlimits;
}

/**
 * The sandbox on Linux: bubblewrap, with all namespaces new, a root built from nothing, a seccomp filter, limits for each
 * process, and the kernel's accounts where they can be written. Killing the outer process ends the whole tree, because
 * everything inside lives in its pid namespace.
 */
export function bubblewrapSandbox({
  file: named = 'bwrap',
  directoryBytes = 64 * 1024 * 1024,
  ceilings: given,
}: BubblewrapOptions = {}): Sandbox {
  const accounts = (given === undefined ? cgroupLimits() : given) ?? undefined;
  const file = placeOf(named);
  const users = process.getuid?.() === 0 ? hostUsers(file) : undefined;
  const own = ownFiles();
  let ground: Promise<Ground> | undefined;
  const prepared = (): Promise<Ground> => {
    ground ??= prepare();
    // The next call tries again: the cause may have been fixed.
    ground.catch(() => (ground = undefined));
    return ground;
  };
  return {
    name: 'bubblewrap',
    boundsRuns: accounts !== undefined,
    hostUser: users && filesUser,
    async start(command, ceilings) {
      const { proxy, workspace, stateFile, contents = {}, ownsFiles = false } = command;
      let user: UserLease | undefined;
      let cell: Cgroup | undefined;
      let entry: CgroupEntry | undefined;
      let open: ReturnType<typeof openFiles> | undefined;
      try {
        if (own === undefined)
          throw new Error(`Ambit has no seccomp filter and no launcher for ${process.arch}`);
        const { system, hardLimits } = await prepared();
        // A start holds the event loop for as long as the kernel needs to copy the daemon's page tables.
        await nextTurn();
        user = await users?.lease(ownsFiles);
        // bubblewrap's init, and its outer process when it joins an existing namespace.
        const alone = accounts === undefined ? { beside: user === undefined ? 1 : 2 } : undefined;
        const rlimits = rlimitsFor(ceilings, alone, hardLimits);
        const launcher = own.launcherFor({ proxy: proxy !== undefined, rlimits });
        cell = ceilings && accounts?.open(ceilings);
        const filter = own.filters[command.unixSockets === true ? 'withUnixSockets' : 'usual'];
        open = openFiles({ filter, system: own.system, launcher, contents, userNamespace: user?.namespace });
        const { files, descriptors: descriptorsFrom } = open;
        const argumentsFor = (first: number): string[] => {
          const descriptors = { status: 3, startBarrier: 4, ...descriptorsFrom(first) };
          return bubblewrapArguments({ system, directoryBytes, descriptors }, command);
        };
        // bubblewrap hands its environment on: on its command line every user of the host could read it.
        entry = cgroupEntry(cell, file);
        const program = startProgram(entry.file, entry.args(argumentsFor), {
          ...{ env: command.env, user: user?.uid, channel: proxy !== undefined },
          files: [...entry.files, ...files],
        });
        const pinned = command.mounts.filter(({ identity }) => identity !== undefined);
        const onClosed = (): void => user?.release();
        return bubblewrapProgram(program, {
          cell,
          onClosed,
          cpuMs: ceilings?.cpuMs,
          workspace,
          stateFile,
          proxy,
          pinned,
        });
      } catch (error) {
        await cell?.close();
        user?.release();
        throw notPrepared(error);
      } finally {
        // bubblewrap has its own by now.
        open?.close();
        entry?.close();
      }
    },
    close() {
      accounts?.close();
      users?.close();
    },
  };
}

interface OwnFiles {
  filters: Readonly<Record<'usual' | 'withUnixSockets', UnnamedFile>>;
  system: Readonly<Record<string, UnnamedFile>>;
  launcherFor: ReturnType<typeof launcherFiles>;
}

/** The same for each sandbox: what this machine's kernel is given to read. Nothing on a machine that they cannot be made for. */
function ownFiles(): OwnFiles | undefined {
  if (!isFilterable(process.arch)) return undefined;
  const system = Object.entries(systemFiles).map(([path, text]) => [path, unnamedFile(Buffer.from(text))]);
  return {
    filters: {
      usual: unnamedFile(seccompFilter(process.arch)),
      withUnixSockets: unnamedFile(seccompFilter(process.arch, { unixSockets: true })),
    },
    system: Object.fromEntries(system),
    launcherFor: launcherFiles(process.arch),
  };
}

async function prepare(): Promise<Ground> {
  return { system: await systemRoot(), hardLimits: ownHardLimits() };
}

/** By its path, because it is started with the skill's environment, which has another `PATH`. */
function placeOf(name: string): string {
  if (name.includes('/')) return name;
  const places = searchPath.split(':').map((folder) => join(folder, name));
  return places.find((place) => existsSync(place)) ?? name;
}

function notPrepared(cause: unknown): SkillError {
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'bubblewrap could not prepare the sandbox; "ambit doctor" says what this machine lacks',
    { cause },
  );
}
