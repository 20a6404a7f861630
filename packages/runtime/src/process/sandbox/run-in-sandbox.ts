import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SkillError } from '@ambit/core';
import { thrownText, type WorkspaceFile } from '@ambit/core/internal';
import { gathered } from '../../output/gathered.ts';
import { afterComplaint } from './after-complaint.ts';
import type { RunLimits, Sandbox, SandboxedCommand, SandboxedProgram, SandboxedRun } from './sandbox.ts';

/** What one run is given and held to. */
export interface SandboxInput {
  stdin: Uint8Array;
  timeoutMs: number;
  /** For stdout and for stderr, each. */
  outputBytes: number;
  /** For its workspace. */
  files?: readonly WorkspaceFile[];
  /** What its state file is when it starts; absent where it has none. */
  stateFile?: Uint8Array | undefined;
  /** Gets each connection that it makes to its proxy; see `SandboxedProgram.serve`. */
  serve?: ((connection: Socket) => void) | undefined;
  /** Is told what it writes, within its bounds, as it comes; nothing of what the walls say when they cannot be raised. */
  told?: ((stream: 'stdout' | 'stderr', bytes: Uint8Array) => void) | undefined;
}

/** A timer cannot wait for longer. */
const timeoutMsMax = 2 ** 31 - 1;

/**
 * Runs a program in a sandbox to its end. Nothing of it is left afterwards: when the deadline passes, the output grows
 * too large or `signal` aborts, the whole process tree is killed first.
 *
 * Rejects with `SANDBOX_UNAVAILABLE` when the walls could not be raised, with `SKILL_CHANGED` when something was replaced
 * before it was mounted, and with `INPUT_INVALID` for files that do not fit into the workspace and for arguments that are too
 * long; the program has not run then.
 */
export async function runInSandbox(
  sandbox: Sandbox,
  { command, ceilings }: { command: SandboxedCommand; ceilings?: RunLimits },
  given: SandboxInput,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  if (signal.aborted) return neverStarted(signal.reason);
  return runToEnd(await sandbox.start(command, ceilings), given, signal);
}

/** Runs a program that has been started to its end, as `runInSandbox` does. The deadline counts from here. */
export async function runToEnd(
  program: SandboxedProgram,
  { stdin, timeoutMs, outputBytes, files = [], stateFile, serve, told = untold }: SandboxInput,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  const startedAt = performance.now();
  const deadline = setTimeout(() => program.stop({ status: 'timed-out' }), Math.min(timeoutMs, timeoutMsMax));
  const cancel = (): void => program.stop({ status: 'canceled', reason: thrownText(signal.reason) });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    const tooMuch = (): void => program.stop({ status: 'output-too-large' });
    const errors = afterComplaint((bytes) => told('stderr', bytes));
    const [stdout, stderr] = [
      collected(program.stdout, outputBytes, tooMuch, (bytes) => told('stdout', bytes)),
      collected(program.stderr, outputBytes, tooMuch, errors.add),
    ];
    if (serve !== undefined) program.serve(serve);
    const begun = begin(program, files, stateFile, stdin);
    const [end] = await Promise.all([program.ended, begun]);
    const durationMs = performance.now() - startedAt;
    if (end.status === 'not-raised') throw notRaised(end.cause ?? lastWords(await stderr()));
    errors.release();
    const usage = program.usage();
    const run = { end, stdout: await stdout(), stderr: await stderr(), durationMs, ...usage };
    if (end.status !== 'exited') return run;
    const [changes, left] = [await program.changes(), await program.leftState()];
    return {
      ...run,
      ...(changes === undefined ? {} : { files: changes }),
      ...(left === undefined ? {} : { stateFile: left }),
    };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
    await program.close();
  }
}

/** The files before anything runs. */
async function begin(
  program: SandboxedProgram,
  files: readonly WorkspaceFile[],
  stateFile: Uint8Array | undefined,
  stdin: Uint8Array,
): Promise<void> {
  if (files.length > 0 || stateFile !== undefined) await program.fill(files, stateFile);
  program.stdin.end(stdin);
  await program.release();
}

function untold(): void {
  // Nobody watches.
}

/** Keeps what a stream brings, up to `bytesMax`, and tells of it; what comes beyond that calls `onMore` once. */
function collected(
  stream: Readable,
  bytesMax: number,
  onMore: () => void,
  onPart: (part: Uint8Array) => void,
): () => Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let left = bytesMax;
  stream.on('data', (chunk: Uint8Array) => {
    if (left < 0) return;
    const part = chunk.subarray(0, left);
    chunks.push(part);
    if (part.length > 0) onPart(part);
    left -= chunk.length;
    if (left < 0) onMore();
  });
  stream.on('error', () => undefined);
  stream.resume();
  return () => gathered(chunks);
}

function neverStarted(reason: unknown): SandboxedRun {
  const nothing = new Uint8Array();
  return {
    end: { status: 'canceled', reason: thrownText(reason) },
    ...{ stdout: nothing, stderr: nothing, durationMs: 0, cpuMs: null, memoryPeakBytes: null },
  };
}

function lastWords(stderr: Uint8Array): Error {
  return new Error(new TextDecoder().decode(stderr).trim() || 'it ended before it ran anything');
}

function notRaised(cause: Error): SkillError {
  if (cause instanceof SkillError) return cause;
  // The caller's mistake, not the machine's.
  if ((cause as NodeJS.ErrnoException).code === 'E2BIG') {
    return new SkillError(
      'INPUT_INVALID',
      'the arguments are longer than this system allows for a program; shorten them, or pass the data as input or files',
      { cause },
    );
  }
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'the sandbox could not be raised; "ambit doctor" says what this machine lacks',
    { cause },
  );
}
