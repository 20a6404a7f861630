import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { searchPath } from '../search-path.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { bubblewrapProgram } from './bubblewrap-program.ts';
import type { Ceilings } from './ceilings/ceilings.ts';
import { cgroupCeilings } from './ceilings/cgroup-ceilings.ts';
import { openFiles } from './open-files.ts';
import { launcher, proxyLauncher } from './proxy/launcher.ts';
import type { Sandbox } from './sandbox.ts';
import { isFilterable, seccompFilter } from './seccomp/filter.ts';
import { startInCell } from './start-in-cell.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';
import { type UnnamedFile, unnamedFile } from './unnamed-file.ts';
import { sandboxUser, userNamespace } from './user-namespace.ts';

/** Where bubblewrap lies and how much of memory a call may use as files. */
export interface BubblewrapOptions {
  /** The program; looked for in `searchPath` when it is a bare name. */
  file?: string;
  /** For `/tmp` and for each private directory. */
  directoryBytes?: number;
  /** What keeps a run to its bounds as a whole; found out when absent, nothing when `null`. */
  ceilings?: Ceilings | null | undefined;
}

/** What a sandbox on this machine is built of, found out once. */
interface Ground {
  system: SystemRoot;
  /** Keeps the namespace alive; there only for root. */
  userNamespace: number | undefined;
}

/**
 * The sandbox on Linux: bubblewrap, with all namespaces new, a root built from nothing, a seccomp filter, and the
 * kernel's accounts where they can be written. Killing the outer process ends the whole tree, because everything
 * inside lives in its pid namespace.
 */
export function bubblewrapSandbox({
  file: named = 'bwrap',
  directoryBytes = 64 * 1024 * 1024,
  ceilings: given,
}: BubblewrapOptions = {}): Sandbox {
  const accounts = (given === undefined ? cgroupCeilings() : given) ?? undefined;
  const root = process.getuid?.() === 0;
  const file = placeOf(named);
  let ground: Promise<Ground> | undefined;
  const own = ownFiles();
  return {
    name: 'bubblewrap',
    boundsRuns: accounts !== undefined,
    hostUser: root ? sandboxUser.host : undefined,
    async start(command, ceilings) {
      ground ??= prepare(file, root);
      const { system, userNamespace: namespace } = await ground.catch((cause: unknown) => {
        // Whatever was wrong may be mended by the next call.
        ground = undefined;
        throw notPrepared(cause);
      });
      if (command.proxy !== undefined && own.proxyLauncher === undefined) throw notPrepared(noLauncher());
      const cell = ceilings === undefined ? undefined : accounts?.open(ceilings);
      let open: ReturnType<typeof openFiles> | undefined;
      try {
        const { proxy, workspace, contents = {} } = command;
        open = openFiles({
          ...{ filter: own.filter, contents, userNamespace: namespace },
          launcher: proxy === undefined ? own.launcher : own.proxyLauncher,
        });
        const { files, descriptors: descriptorsFrom } = open;
        const argumentsFor = (first: number): string[] => {
          const descriptors = { status: 3, gate: 4, ...descriptorsFrom(first) };
          return bubblewrapArguments({ system, directoryBytes, descriptors }, command);
        };
        const user = namespace === undefined ? undefined : sandboxUser.host;
        // bubblewrap hands its environment on: on its command line every user of the host could read it.
        const options = { env: command.env, files, user, channel: proxy !== undefined };
        const program = startInCell(cell, file, argumentsFor, options);
        return bubblewrapProgram(program, { cell, cpuMs: ceilings?.cpuMs, workspace, proxy });
      } catch (error) {
        await cell?.close();
        throw notPrepared(error);
      } finally {
        // bubblewrap has its own by now.
        open?.close();
      }
    },
    close() {
      accounts?.close();
    },
  };
}

/** The same for each sandbox: what this machine's kernel is given to read. Nothing on a machine that they cannot be made for. */
function ownFiles(): Partial<Record<'filter' | 'launcher' | 'proxyLauncher', UnnamedFile>> {
  if (!isFilterable(process.arch)) return {};
  return {
    filter: unnamedFile(seccompFilter(process.arch)),
    launcher: unnamedFile(launcher(process.arch)),
    proxyLauncher: unnamedFile(proxyLauncher(process.arch)),
  };
}

/** By its path, because it is started with the skill's environment, which has another `PATH`. */
function placeOf(name: string): string {
  if (name.includes('/')) return name;
  const places = searchPath.split(':').map((folder) => join(folder, name));
  return places.find((place) => existsSync(place)) ?? name;
}

async function prepare(file: string, root: boolean): Promise<Ground> {
  return { system: await systemRoot(), userNamespace: root ? await userNamespace(file) : undefined };
}

function noLauncher(): Error {
  return new Error(`a sandbox on ${process.arch} has no way to a proxy`);
}

function notPrepared(cause: unknown): SkillError {
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'bubblewrap could not prepare the sandbox; "ambit doctor" says what this machine lacks',
    { cause },
  );
}
