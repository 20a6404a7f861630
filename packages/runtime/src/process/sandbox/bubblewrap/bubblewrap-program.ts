import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import { endNamespace, killProcess } from '../../../spawn/kill-process.ts';
import type { Program, ProgramExit } from '../../../spawn/start-program.ts';
import { until } from '../../../spawn/until.ts';
import type { Cgroup } from '../cgroup/resource-limits.ts';
import { checkMounts } from '../mount-identity.ts';
import { checkHidden } from '../pins.ts';
import type {
  HostProcess,
  Mount,
  ProxyBounds,
  SandboxedCommand,
  SandboxedProgram,
  StopReason,
} from '../sandbox.ts';
import { type OpenStateFile, openStateFile } from '../workspace/open-state-file.ts';
import { type OpenWorkspace, openWorkspace } from '../workspace/open-workspace.ts';
import { readyMark } from './bubblewrap-arguments.ts';
import { connectionsOf } from './connections.ts';
import { type Status, watchStatus } from './watch-status.ts';

/** The parts of a run in one bubblewrap, besides its arguments. */
export interface BubblewrapRun {
  /** Owned by the program from here on. */
  cgroup: Cgroup | undefined;
  /** Called once every process of the run has ended. */
  onClosed: () => void;
  cpuMs: number | undefined;
  /** The path of its workspace inside. */
  workspace: string | undefined;
  stateFile: SandboxedCommand['stateFile'];
  /** Set if its launcher hands out the proxy's socket. */
  proxy: ProxyBounds | undefined;
  /** The mounts with an identity. */
  pinned: readonly Mount[];
  host: SandboxedCommand['host'];
}

/** Any end except the program's own exit. */
type EarlyEnd = StopReason | { status: 'out-of-memory' } | { status: 'setup-failed'; cause: Error };

const nothingUsed = { cpuMs: null, memoryPeakBytes: null, outOfMemory: false };

/**
 * Wraps a started bubblewrap as a sandboxed program. Bubblewrap writes its status to descriptor 3. The
 * launcher inside waits at the start barrier, descriptor 4.
 */
export function bubblewrapProgram(
  program: Program,
  { cgroup, onClosed, cpuMs, workspace, stateFile, proxy, pinned, host }: BubblewrapRun,
): SandboxedProgram {
  // The program has exited: end everything that it left running. bubblewrap itself would take
  // longer.
  const status = watchStatus(program, killProcess);
  const endController = new AbortController();
  const connections = proxy && connectionsOf(program.listener, proxy.connectionsMax);
  let stopped: EarlyEnd | undefined;
  let isReleased = false;
  const kill = (): void => {
    program.kill();
    // For a moment the first process inside has left the process group but does not yet die with
    // its parent. It is killed by its id, if that is known. Otherwise it ends at the start barrier,
    // which never opens now.
    if (!isReleased) program.startBarrier.destroy();
    const child = status.child();
    if (child !== undefined) killProcess(child);
  };
  const stop = (reason: EarlyEnd): void => {
    if (stopped !== undefined || endController.signal.aborted) return;
    stopped = reason;
    connections?.close();
    kill();
  };
  // The proxy's socket can be lost in transit if this process has no free descriptor.
  const hasLaunched = async (): Promise<boolean> =>
    proxy === undefined || (await program.listener) !== undefined;
  void hasLaunched().then((launched) => {
    if (!launched && !program.hasExited()) kill();
  });
  const ready = setUp(status, { cgroup, workspace, stateFile, pinned, host }, endController.signal, stop);
  const sampler = watchCpu(cgroup, cpuMs, () => stop({ status: 'out-of-cpu' }));
  let used: ReturnType<Cgroup['usage']> = nothingUsed;

  const end = async (): SandboxedProgram['ended'] => {
    const exit = await program.ended;
    clearInterval(sampler);
    // With a reason, because the default creates an exception each time.
    endController.abort('ended');
    connections?.close();
    const child = status.child();
    if (child !== undefined) await endNamespace(child);
    used = cgroup?.usage() ?? nothingUsed;
    return stopped ?? endOf(exit, status.reportedExit() && (await hasLaunched()), used.outOfMemory);
  };
  const ended = end().catch((cause: Error) => ({ status: 'setup-failed' as const, cause }));

  let isTaken = false;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop({ status: 'canceled', reason: 'closed' });
    await ended;
    const { workspace: files, state } = await ready;
    if (!isTaken) files?.close();
    state?.close();
    await cgroup?.close();
    onClosed();
  };

  return {
    stdin: program.stdin,
    stdout: program.stdout,
    stderr: program.stderr,
    ended,
    stop,
    hasExited: program.hasExited,
    serve: (take) => connections?.serve(take),
    async fill(files, stateBytes) {
      const opened = await ready;
      // Its end reports the reason. Nothing reads the start barrier any more, so it ends by itself.
      const isEnded = (): boolean => stopped !== undefined || endController.signal.aborted;
      if (isEnded()) return;
      // A program that has run could have created a symlink at a file's path.
      if (isReleased) throw new Error('files cannot be added: the program already runs');
      await fillFolders(opened, files, stateBytes, isEnded);
    },
    async release() {
      await ready;
      if (stopped !== undefined || isReleased) return;
      isReleased = true;
      program.startBarrier.end('.');
    },
    restart: () => cgroup?.restart(),
    cpuMs: () => cgroup?.cpuMs() ?? null,
    usage: () => ({ cpuMs: used.cpuMs, memoryPeakBytes: used.memoryPeakBytes }),
    async takeWorkspace() {
      const opened = await ready;
      isTaken = true;
      return opened.workspace;
    },
    leftState: async () => stateFile && (await ready).state?.take(stateFile.bytesMax),
    close: () => (closing ??= close()),
  };
}

async function fillFolders(
  { workspace, state }: OpenFolders,
  files: Parameters<OpenWorkspace['put']>[0],
  stateBytes: Uint8Array | undefined,
  isEnded: () => boolean,
): Promise<void> {
  try {
    await workspace?.put(files, isEnded);
    if (stateBytes !== undefined) state?.put(stateBytes);
  } catch (cause) {
    throw fillError(cause);
  }
}

/** Folders of a sandbox that this process holds open. */
interface OpenFolders {
  workspace?: OpenWorkspace;
  state?: OpenStateFile;
}

/**
 * Waits for bubblewrap's first process inside, puts the limits into force, checks the mounts, and
 * opens the workspace and the folder of the state file. On failure it stops the program. Never
 * rejects.
 */
async function setUp(
  { started }: Status,
  {
    cgroup,
    workspace,
    stateFile,
    pinned,
    host,
  }: Pick<BubblewrapRun, 'cgroup' | 'workspace' | 'stateFile' | 'pinned' | 'host'>,
  endedSignal: AbortSignal,
  stop: (reason: EarlyEnd) => void,
): Promise<OpenFolders> {
  const opened: OpenFolders = {};
  try {
    const child = await started;
    if (child === undefined) return opened;
    if (cgroup?.bind() === 'exceeded') stop({ status: 'out-of-memory' });
    // Setting up the sandbox is not charged to the skill.
    cgroup?.restart();
    const isOpened = workspace !== undefined || stateFile !== undefined;
    const isChecked = pinned.length > 0 || host !== undefined;
    if (!isOpened && !isChecked) return opened;
    const root = await sandboxRoot(child, endedSignal);
    if (root === undefined) return opened;
    checkMounts(root, pinned);
    if (host !== undefined) checkHostRoot(root, host);
    if (workspace !== undefined) opened.workspace = openWorkspace(`${root}${workspace}`);
    if (stateFile !== undefined) opened.state = openStateFile(`${root}${stateFile.path}`);
  } catch (cause) {
    stop({ status: 'setup-failed', cause: cause as Error });
  }
  return opened;
}

/** Checks what is hidden in a sandbox, unless it has ended: then its own error is the reason, and nothing runs. */
function checkHostRoot(root: string, host: HostProcess): void {
  try {
    checkHidden(root, host);
  } catch (error) {
    if (existsSync(`${root}${readyMark}`)) throw error;
  }
}

const cpuSampleMs = 100;

/** The kernel cannot limit the CPU time of several processes together, so it is sampled. */
function watchCpu(
  cgroup: Cgroup | undefined,
  cpuMs: number | undefined,
  onExceeded: () => void,
): NodeJS.Timeout | undefined {
  if (cgroup === undefined || cpuMs === undefined) return undefined;
  return setInterval(() => {
    if ((cgroup.cpuMs() ?? 0) > cpuMs) onExceeded();
  }, cpuSampleMs);
}

/** `ran` is whether the program itself started. */
function endOf(exit: ProgramExit, ran: boolean, outOfMemory: boolean): Awaited<SandboxedProgram['ended']> {
  if ('notStarted' in exit) return { status: 'setup-failed', cause: exit.notStarted };
  if (outOfMemory && exit.exitCode !== 0) return { status: 'out-of-memory' };
  if (!ran) return { status: 'setup-failed' };
  return { status: 'exited', exitCode: exit.exitCode };
}

function fillError(cause: unknown): SkillError {
  return new SkillError(
    'INPUT_INVALID',
    `the files do not fit into the workspace (${(cause as NodeJS.ErrnoException).code}): they are too large in total, or one file's path is a folder of another file`,
    { cause },
  );
}

/**
 * Waits until bubblewrap has set up a sandbox, and resolves to the path of its root from outside.
 * Then the sandbox waits at its start barrier; `pid` is its first process.
 *
 * The path is that process's root in `/proc`, which the user who started the process may read. A
 * folder that bubblewrap creates shows that this is the sandbox's root and no longer the host's.
 *
 * Resolves to `undefined` if the sandbox ended first, which `signal` reports.
 */
async function sandboxRoot(pid: number, signal: AbortSignal): Promise<string | undefined> {
  const root = `/proc/${pid}/root`;
  let isReady = false;
  await until(() => {
    isReady = !signal.aborted && existsSync(`${root}${readyMark}`);
    return signal.aborted || isReady;
  });
  return isReady ? root : undefined;
}
