import { SkillError } from '@ambit/core';
import type { Cgroup } from './cgroup/resource-limits.ts';
import { endNamespace, killIfThere } from './kill-if-there.ts';
import { checkMounts } from './mount-identity.ts';
import { connectionsOf } from './proxy/connections.ts';
import { raisedRoot } from './raised-root.ts';
import type { Mount, ProxyBounds, SandboxedCommand, SandboxedProgram, StopReason } from './sandbox.ts';
import type { Program, ProgramExit } from './start-program.ts';
import { type Status, watchStatus } from './watch-status.ts';
import { type OpenStateFile, openStateFile } from './workspace/open-state-file.ts';
import { type OpenWorkspace, openWorkspace } from './workspace/open-workspace.ts';

/** What a bubblewrap was given, beside its arguments. */
export interface BubblewrapRun {
  /** Its place in the kernel's accounts, which it owns from here on. */
  cell: Cgroup | undefined;
  /** Called once every process of the run has ended. */
  onClosed: () => void;
  cpuMs: number | undefined;
  /** Where its workspace is inside, if it has one. */
  workspace: string | undefined;
  /** Its state file inside, if it has one. */
  stateFile: SandboxedCommand['stateFile'];
  /** There when its launcher hands the proxy's socket out. */
  proxy: ProxyBounds | undefined;
  /** The mounts with an identity. */
  pinned: readonly Mount[];
}

/** Any end that is not the program's own. */
type Stopped = StopReason | { status: 'out-of-memory' } | { status: 'not-raised'; cause: Error };

const nothingUsed = { cpuMs: null, memoryPeakBytes: null, outOfMemory: false };

/**
 * Shows a bubblewrap that has been started, and waits at its start barrier, as a program behind its walls. It writes its status to
 * descriptor 3 and reads its start barrier at 4.
 */
export function bubblewrapProgram(
  program: Program,
  { cell, onClosed, cpuMs, workspace, stateFile, proxy, pinned }: BubblewrapRun,
): SandboxedProgram {
  // The program is over, and with it whatever it has left running: bubblewrap itself would take its time.
  const status = watchStatus(program, (child) => void endNamespace(child).catch(() => undefined));
  const over = new AbortController();
  const connections = proxy && connectionsOf(program.listener, proxy.connectionsMax);
  let stopped: Stopped | undefined;
  let isReleased = false;
  const kill = (): void => {
    program.kill();
    // The first process inside leaves the group some time before it binds itself to its parent's death. Once the startBarrier
    // is open it is killed by its id; before that it is still in the group.
    const child = status.child();
    if (child !== undefined) killIfThere(child);
  };
  const stop = (reason: Stopped): void => {
    if (stopped !== undefined || over.signal.aborted) return;
    stopped = reason;
    connections?.close();
    kill();
  };
  // Its socket can be lost on the way where this process has no descriptor to spare.
  const isLaunched = async (): Promise<boolean> =>
    proxy === undefined || (await program.listener) !== undefined;
  void isLaunched().then((launched) => {
    if (!launched && !program.hasExited()) kill();
  });
  const raised = raise(status, { cell, workspace, stateFile, pinned }, over.signal, stop);
  const sampler = watchCpu(cell, cpuMs, () => stop({ status: 'out-of-cpu' }));
  let used: ReturnType<Cgroup['usage']> = nothingUsed;

  const end = async (): SandboxedProgram['ended'] => {
    const exit = await program.ended;
    clearInterval(sampler);
    // A reason of its own, because the usual one is an exception that is made for each.
    over.abort('over');
    connections?.close();
    const child = status.child();
    if (child !== undefined) await endNamespace(child);
    used = cell?.usage() ?? nothingUsed;
    return stopped ?? endOf(exit, status.toldExit() && (await isLaunched()), used.outOfMemory);
  };
  const ended = end().catch((cause: Error) => ({ status: 'not-raised' as const, cause }));

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop({ status: 'canceled', reason: 'closed' });
    await ended;
    const { workspace: files, state } = await raised;
    files?.close();
    state?.close();
    await cell?.close();
    onClosed();
  };

  return {
    ...{ stdin: program.stdin, stdout: program.stdout, stderr: program.stderr },
    ...{ ended, stop, hasExited: program.hasExited },
    serve: (take) => connections?.serve(take),
    async fill(files, stateBytes) {
      const opened = await raised;
      // Its end says why it never gets them. A start barrier that nobody reads any more ends by itself.
      if (stopped !== undefined || over.signal.aborted) return;
      // Whatever has run could have put a link where a file is to go.
      if (isReleased) throw new Error('the program runs: it is too late for files');
      try {
        opened.workspace?.put(files);
        if (stateBytes !== undefined) opened.state?.put(stateBytes);
      } catch (cause) {
        throw unfilled(cause);
      }
    },
    async release() {
      await raised;
      isReleased = true;
      if (stopped === undefined && !program.startBarrier.writableEnded) program.startBarrier.end('.');
    },
    restart: () => cell?.restart(),
    cpuMs: () => cell?.cpuMs() ?? null,
    usage: () => ({ cpuMs: used.cpuMs, memoryPeakBytes: used.memoryPeakBytes }),
    changes: async () => (await raised).workspace?.changes(),
    leftState: async () => stateFile && (await raised).state?.take(stateFile.bytesMax),
    close: () => (closing ??= close()),
  };
}

/** What this process holds open of a sandbox, as far as the sandbox has it. */
interface Opened {
  workspace?: OpenWorkspace;
  state?: OpenStateFile;
}

/**
 * Waits until bubblewrap has its first process inside, puts the ceilings into force, looks at what has been mounted, and
 * opens the workspace and the state file's folder, if there are any. Without its bounds it does not run. Never rejects.
 */
async function raise(
  { begun }: Status,
  { cell, workspace, stateFile, pinned }: Pick<BubblewrapRun, 'cell' | 'workspace' | 'stateFile' | 'pinned'>,
  over: AbortSignal,
  stop: (reason: Stopped) => void,
): Promise<Opened> {
  const opened: Opened = {};
  try {
    const child = await begun;
    if (child === undefined) return opened;
    if (cell?.bind() === 'exceeded') stop({ status: 'out-of-memory' });
    // To raise the walls is no work of the skill's.
    cell?.restart();
    if (workspace === undefined && stateFile === undefined && pinned.length === 0) return opened;
    const root = await raisedRoot(child, over);
    if (root === undefined) return opened;
    checkMounts(root, pinned);
    if (workspace !== undefined) opened.workspace = openWorkspace(`${root}${workspace}`);
    if (stateFile !== undefined) opened.state = openStateFile(`${root}${stateFile.path}`);
  } catch (cause) {
    stop({ status: 'not-raised', cause: cause as Error });
  }
  return opened;
}

const cpuSampleMs = 100;

/** The kernel has no bound for the processor time of several processes together, so that it is looked at. */
function watchCpu(
  cell: Cgroup | undefined,
  cpuMs: number | undefined,
  onExceeded: () => void,
): NodeJS.Timeout | undefined {
  if (cell === undefined || cpuMs === undefined) return undefined;
  return setInterval(() => {
    if ((cell.cpuMs() ?? 0) > cpuMs) onExceeded();
  }, cpuSampleMs);
}

/** `ran` is whether the program itself was started. */
function endOf(exit: ProgramExit, ran: boolean, outOfMemory: boolean): Awaited<SandboxedProgram['ended']> {
  if ('notStarted' in exit) return { status: 'not-raised', cause: exit.notStarted };
  if (outOfMemory && exit.exitCode !== 0) return { status: 'out-of-memory' };
  if (!ran) return { status: 'not-raised' };
  return { status: 'exited', exitCode: exit.exitCode };
}

function unfilled(cause: unknown): SkillError {
  return new SkillError(
    'INPUT_INVALID',
    `the files could not be put into the workspace (${(cause as NodeJS.ErrnoException).code}): they are too large together, or one is where another needs a folder`,
    { cause },
  );
}
