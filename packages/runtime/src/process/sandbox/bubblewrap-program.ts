import { SkillError } from '@ambit/core';
import type { Cell } from './ceilings/ceilings.ts';
import { endNamespace, killIfThere } from './kill-if-there.ts';
import type { RunUsage, SandboxedProgram, Stop } from './sandbox.ts';
import { type Program, type ProgramExit, type ProgramOptions, startProgram } from './start-program.ts';
import { type OpenWorkspace, openWorkspace } from './workspace/open-workspace.ts';

/** One bubblewrap, and what it has been given. */
export interface BubblewrapRun {
  file: string;
  args: readonly string[];
  options: ProgramOptions;
  /** Its place in the kernel's accounts, which it owns from here on. */
  cell: Cell | undefined;
  cpuMs: number | undefined;
  /** Where its workspace is inside, if it has one. */
  workspace: string | undefined;
}

const cpuSampleMs = 100;

/**
 * Starts a bubblewrap that waits at its gate, and shows it as a program behind its walls. It writes its status to
 * descriptor 3 and reads its gate at 4.
 */
export function bubblewrapProgram({
  file,
  args,
  options,
  cell,
  cpuMs,
  workspace: path,
}: BubblewrapRun): SandboxedProgram {
  const program = startIn(cell, () => startProgram(file, args, options));
  const over = new AbortController();
  const status = watchStatus(program);
  let stopped: Stop | { status: 'out-of-memory' } | { status: 'not-raised'; cause: Error } | undefined;
  const stop = (reason: NonNullable<typeof stopped>): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    program.kill();
    // The first process inside leaves the group some time before it binds itself to its parent's death. Once the gate
    // is open it is killed by its id; before that it is still in the group.
    const child = status.child();
    if (child !== undefined) killIfThere(child);
  };
  // Without its bounds it does not run.
  const bounded = status.begun.then(async (child) => {
    if (child === undefined) return;
    if ((await cell?.bind(child)) === 'exceeded') stop({ status: 'out-of-memory' });
  });
  bounded.catch((cause: Error) => stop({ status: 'not-raised', cause }));
  const standing = Promise.all([
    bounded.catch(() => undefined),
    path === undefined ? undefined : status.begun.then((child) => workspaceOf(child, path, over.signal)),
  ]);
  standing.catch(() => undefined);
  const sampler = watchCpu(cell, cpuMs, () => stop({ status: 'out-of-cpu' }));
  let workspace: OpenWorkspace | undefined;
  let used: RunUsage & { outOfMemory: boolean } = nothingUsed;
  const usage = (): RunUsage & { outOfMemory: boolean } => cell?.usage() ?? nothingUsed;

  const ended = program.ended.then(async (exit) => {
    clearInterval(sampler);
    over.abort(overReason);
    const child = status.child();
    if (child !== undefined) await endNamespace(child);
    workspace = (await standing.catch(() => []))[1];
    used = usage();
    return stopped ?? endOf(exit, status.text(), used.outOfMemory);
  });

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop({ status: 'canceled', reason: 'closed' });
    await ended;
    workspace?.close();
    await cell?.close();
  };

  return {
    stdin: program.stdin,
    stdout: program.stdout,
    stderr: program.stderr,
    ended,
    stop,
    async fill(files) {
      const [, opened] = await standing;
      try {
        opened?.put(files);
      } catch (cause) {
        throw unfilled(cause);
      }
    },
    async release() {
      await standing;
      if (stopped === undefined && !program.gate.writableEnded) program.gate.end('.');
    },
    usage: () => (({ cpuMs, memoryPeakBytes }) => ({ cpuMs, memoryPeakBytes }))(used),
    changes: () => workspace?.changes(),
    close: () => (closing ??= close()),
  };
}

function startIn(cell: Cell | undefined, start: () => Program): Program {
  if (cell === undefined) return start();
  let program: Program | undefined;
  try {
    return cell.start(() => (program = start()));
  } catch (error) {
    program?.kill();
    void cell.close();
    throw error;
  }
}

/** A reason of its own, because the usual one is an exception that is made for each. */
const overReason = 'over';

const nothingUsed = { cpuMs: null, memoryPeakBytes: null, outOfMemory: false };

/** A status is two short lines of JSON; what is longer is not one. */
const statusCharactersMax = 64 * 1024;

/** What bubblewrap says of itself. `begun` resolves to its first process inside; to nothing when it ended before. */
interface Status {
  begun: Promise<number | undefined>;
  child(): number | undefined;
  text(): string;
}

function watchStatus({ control, ended }: Program): Status {
  let text = '';
  let child: number | undefined;
  const begun = new Promise<number | undefined>((resolve) => {
    control.on('data', (chunk: Uint8Array) => {
      if (text.length < statusCharactersMax) text += new TextDecoder().decode(chunk);
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
      if (pid === undefined) return;
      child = Number(pid);
      resolve(child);
    });
    control.on('error', () => undefined);
    void ended.then(() => resolve(child));
  });
  return { begun, child: () => child, text: () => text };
}

async function workspaceOf(
  child: number | undefined,
  path: string,
  over: AbortSignal,
): Promise<OpenWorkspace | undefined> {
  return child === undefined ? undefined : openWorkspace(child, path, over);
}

/** The kernel has no bound for the processor time of several processes together, so that it is looked at. */
function watchCpu(
  cell: Cell | undefined,
  cpuMs: number | undefined,
  onExceeded: () => void,
): NodeJS.Timeout | undefined {
  if (cell === undefined || cpuMs === undefined) return undefined;
  return setInterval(() => {
    if ((cell.usage().cpuMs ?? 0) > cpuMs) onExceeded();
  }, cpuSampleMs);
}

function endOf(exit: ProgramExit, status: string, outOfMemory: boolean): Awaited<SandboxedProgram['ended']> {
  if ('notStarted' in exit) return { status: 'not-raised', cause: exit.notStarted };
  if (outOfMemory && exit.exitCode !== 0) return { status: 'out-of-memory' };
  // bubblewrap reports the exit code of what it ran; without a report it never got that far.
  if (!status.includes('"exit-code"')) return { status: 'not-raised' };
  return { status: 'exited', exitCode: exit.exitCode };
}

function unfilled(cause: unknown): SkillError {
  return new SkillError(
    'INPUT_INVALID',
    `the files could not be put into the workspace (${(cause as NodeJS.ErrnoException).code}): they are too large together, or one is where another needs a folder`,
    { cause },
  );
}
