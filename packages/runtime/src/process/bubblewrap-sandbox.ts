import { closeSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import type { Ceilings, Cell } from './ceilings/ceilings.ts';
import { cgroupCeilings } from './ceilings/cgroup-ceilings.ts';
import { endNamespace, killIfThere } from './kill-if-there.ts';
import { type BoundedRun, outOfCpu, runBounded } from './run-bounded.ts';
import type { RunBounds, Sandbox, SandboxedCommand, SandboxedRun } from './sandbox.ts';
import { searchPath } from './search-path.ts';
import { openFilter } from './seccomp/open-filter.ts';
import { type SystemRoot, systemRoot } from './system-root.ts';
import { sandboxUser, userNamespace } from './user-namespace.ts';
import { type OpenWorkspace, openWorkspace } from './workspace/open-workspace.ts';

/** Where bubblewrap lies and how much of memory a call may use as files. */
export interface BubblewrapOptions {
  /** The program; looked for in the daemon's own search path when it is a bare name. */
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

/** The first descriptor that `runBounded` gives to files; before it are the standard three, status and gate. */
const firstFile = 5;

const cpuSampleMs = 100;

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
  const ceilings = (given === undefined ? cgroupCeilings() : given) ?? undefined;
  const root = process.getuid?.() === 0;
  const file = placeOf(named);
  let ground: Promise<Ground> | undefined;
  const openSandboxFilter = openFilter();
  return {
    name: 'bubblewrap',
    boundsRuns: ceilings !== undefined,
    hostUser: root ? sandboxUser.host : undefined,
    async run(command, bounds, signal) {
      ground ??= prepare(file, root);
      const { system, userNamespace: namespace } = await ground.catch((cause: unknown) => {
        // Whatever was wrong may be mended by the next call.
        ground = undefined;
        throw notRaised(cause);
      });
      const filter = openSandboxFilter();
      const files = [namespace, filter].filter((each) => each !== undefined);
      const at = (descriptor: number | undefined): number | undefined =>
        descriptor === undefined ? undefined : firstFile + files.indexOf(descriptor);
      const descriptors = { status: 3, gate: 4, filter: at(filter), userNamespace: at(namespace) };
      const args = bubblewrapArguments({ system, directoryBytes, descriptors }, command);
      try {
        const user = namespace === undefined ? undefined : sandboxUser.host;
        return await runInCell(file, args, bounds, signal, {
          env: command.env,
          files,
          user,
          ceilings,
          workspace: command.workspace,
        });
      } finally {
        if (filter !== undefined) closeSync(filter);
      }
    },
    close() {
      ceilings?.close();
    },
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

/** What is around one run beside its command. */
interface Surroundings {
  env: SandboxedCommand['env'];
  files: readonly number[];
  user: number | undefined;
  ceilings: Ceilings | undefined;
  workspace: SandboxedCommand['workspace'];
}

async function runInCell(
  file: string,
  args: readonly string[],
  bounds: RunBounds,
  signal: AbortSignal,
  { env, files, user, ceilings, workspace }: Surroundings,
): Promise<SandboxedRun> {
  const cell = bounds.ceilings === undefined ? undefined : ceilings?.open(bounds.ceilings);
  const stop = new AbortController();
  const over = new AbortController();
  let child: number | undefined;
  let opening: Promise<OpenWorkspace | undefined> = Promise.resolve(undefined);
  const sampler = watchCpu(cell, bounds.ceilings?.cpuMs, stop);
  try {
    const run = await runBounded(file, args, {
      // bubblewrap hands its environment on: on its command line every user of the host could read it.
      env,
      bounds,
      signal: AbortSignal.any([signal, stop.signal]),
      files,
      user,
      // bubblewrap waits at the gate, nothing run, until its child is in its place and the workspace is filled.
      onControl: (text, openGate) => {
        child = Number(/"child-pid":\s*(\d+)/.exec(text)?.[1]);
        if (workspace !== undefined) opening = openWorkspace(child, workspace, over.signal);
        // Without its bounds it does not run: it may have ended already, or the accounts are gone.
        Promise.all([cell?.enter(child), opening]).then(openGate, (reason: unknown) => stop.abort(reason));
      },
      // The first process inside leaves the group some time before it binds itself to its parent's death. Once the
      // gate is open it is killed by its id; before that it is still in the group.
      onStop: () => {
        if (child !== undefined) killIfThere(child);
      },
    });
    over.abort();
    if (child !== undefined) await endNamespace(child);
    const opened = await opening.catch((cause: unknown) => {
      throw unfilled(cause);
    });
    const concludes = concluded(run, cell);
    if (opened === undefined || concludes.end.status !== 'exited') return concludes;
    return { ...concludes, files: opened.changes() };
  } finally {
    clearInterval(sampler);
    over.abort();
    (await opening.catch(() => undefined))?.close();
    await cell?.close();
  }
}

function unfilled(cause: unknown): SkillError {
  return new SkillError(
    'INPUT_INVALID',
    `the files could not be put into the workspace (${(cause as NodeJS.ErrnoException).code}): they are too large together, or one is where another needs a folder`,
    { cause },
  );
}

/** The kernel has no bound for the processor time of several processes together, so that it is looked at. */
function watchCpu(
  cell: Cell | undefined,
  cpuMs: number | undefined,
  stop: AbortController,
): NodeJS.Timeout | undefined {
  if (cell === undefined || cpuMs === undefined) return undefined;
  return setInterval(() => {
    if ((cell.usage().cpuMs ?? 0) > cpuMs) stop.abort(outOfCpu);
  }, cpuSampleMs);
}

function concluded(run: BoundedRun, cell: Cell | undefined): SandboxedRun {
  const { cpuMs = null, memoryPeakBytes = null, outOfMemory = false } = cell?.usage() ?? {};
  const starved = outOfMemory && run.end.status === 'exited' && run.end.exitCode !== 0;
  if (starved) return { ...run, end: { status: 'out-of-memory' }, cpuMs, memoryPeakBytes };
  // bubblewrap reports the exit code of what it ran; without a report it never got that far.
  if (run.end.status === 'exited' && !run.control.includes('"exit-code"')) {
    throw notRaised(
      new Error(
        new TextDecoder().decode(run.stderr).trim() ||
          `it ended with ${JSON.stringify(run.end)} before it ran anything`,
      ),
    );
  }
  return { ...run, cpuMs, memoryPeakBytes };
}

function notRaised(cause: unknown): SkillError {
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'bubblewrap could not raise the sandbox; "ambit doctor" says what this machine lacks',
    { cause },
  );
}
