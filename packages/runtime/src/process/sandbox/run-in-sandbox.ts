import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import type { WorkspaceEntry } from '@ambit/core/workspace';
import { gather } from '../../stream/gather.ts';
import { holdSetupErrors } from './hold-setup-errors.ts';
import type { RunLimits, Sandbox, SandboxedCommand, SandboxedProgram, SandboxedRun } from './sandbox.ts';
import type { TakeBounds } from './workspace/take-files.ts';

/** The input and limits of one run. */
export interface SandboxInput {
  stdin: Uint8Array;
  timeoutMs: number;
  /** The program runs only after it resolves, and never if it rejects. Absent: nothing to wait for. */
  recorded?: Promise<unknown> | undefined;
  /** For stdout and stderr separately. */
  outputBytes: number;
  /** The files in its workspace. */
  files?: readonly WorkspaceEntry[];
  /** Limits for reading back the workspace; absent: the default ones. */
  takeBounds?: TakeBounds | undefined;
  /** The initial state file; absent if the run has none. */
  stateFile?: Uint8Array | undefined;
  /** Receives each connection to the run's proxy; see `SandboxedProgram.serve`. */
  serve?: ((connection: Socket) => void) | undefined;
  /**
   * Receives output as it is written, within `outputBytes`. Errors of the sandbox's setup are left
   * out.
   */
  onOutput?: ((stream: 'stdout' | 'stderr', bytes: Uint8Array) => void) | undefined;
}

/** The maximum delay of a timer. */
const timeoutMsMax = 2 ** 31 - 1;

/**
 * Runs a program in a sandbox until it ends. When the deadline passes, the output exceeds its limit
 * or `signal` aborts, the whole process tree is killed. No process is left afterwards.
 *
 * Rejects with the error of `recorded`, with `SANDBOX_UNAVAILABLE` if the sandbox cannot be set up, with
 * `SKILL_CHANGED` if a file was replaced before it was mounted, and with `INPUT_INVALID` for files that do
 * not fit into the workspace or arguments that are too long. In each case the program has not run.
 */
export async function runInSandbox(
  sandbox: Sandbox,
  { command, limits }: { command: SandboxedCommand; limits?: RunLimits },
  given: SandboxInput,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  if (signal.aborted) return neverStarted(signal.reason);
  return runToEnd(await sandbox.start(command, limits), given, signal);
}

/** Runs a started program until it ends, as `runInSandbox` does. The deadline counts from the end of `recorded`. */
export async function runToEnd(
  program: SandboxedProgram,
  given: SandboxInput,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  try {
    // The sandbox is being set up meanwhile.
    await given.recorded;
    return await runRecorded(program, given, signal);
  } finally {
    await program.close();
  }
}

async function runRecorded(
  program: SandboxedProgram,
  {
    stdin,
    timeoutMs,
    outputBytes,
    files = [],
    takeBounds,
    stateFile,
    serve,
    onOutput = ignoreOutput,
  }: SandboxInput,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  const startedAt = performance.now();
  const deadline = setTimeout(() => program.stop({ status: 'timed-out' }), Math.min(timeoutMs, timeoutMsMax));
  const cancel = (): void => program.stop({ status: 'canceled', reason: thrownText(signal.reason) });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    const stopForOutput = (): void => program.stop({ status: 'output-too-large' });
    const errors = holdSetupErrors((bytes) => onOutput('stderr', bytes));
    const [stdout, stderr] = [
      collected(program.stdout, outputBytes, stopForOutput, (bytes) => onOutput('stdout', bytes)),
      collected(program.stderr, outputBytes, stopForOutput, errors.add),
    ];
    if (serve !== undefined) program.serve(serve);
    const started = begin(program, files, stateFile, stdin);
    const [end] = await Promise.all([program.ended, started]);
    const durationMs = performance.now() - startedAt;
    if (end.status === 'setup-failed') throw setupError(end.cause ?? stderrError(await stderr()));
    errors.release();
    const usage = program.usage();
    const run = { end, stdout: await stdout(), stderr: await stderr(), durationMs, ...usage };
    if (end.status !== 'exited') return run;
    const workspace = await program.takeWorkspace();
    const finished: SandboxedRun = run;
    try {
      if (workspace !== undefined) finished.files = await workspace.changes(takeBounds);
      const left = await program.leftState();
      if (left !== undefined) finished.stateFile = left;
    } catch (error) {
      workspace?.close();
      throw error;
    }
    const isHeld = finished.files?.every(({ content }) => content === null || content instanceof Uint8Array);
    if (isHeld === false && workspace !== undefined) finished.releaseFiles = workspace.close;
    else workspace?.close();
    return finished;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
  }
}

/** The files must be in place before the program runs. */
async function begin(
  program: SandboxedProgram,
  files: readonly WorkspaceEntry[],
  stateFile: Uint8Array | undefined,
  stdin: Uint8Array,
): Promise<void> {
  if (files.length > 0 || stateFile !== undefined) await program.fill(files, stateFile);
  program.stdin.end(stdin);
  await program.release();
}

function ignoreOutput(): void {
  // No observer.
}

/**
 * Collects a stream, up to `bytesMax`, and passes each part to `onPart`. Calls `onMore` once if
 * there is more.
 */
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
  return () => gather(chunks);
}

function neverStarted(reason: unknown): SandboxedRun {
  const nothing = new Uint8Array();
  return {
    end: { status: 'canceled', reason: thrownText(reason) },
    stdout: nothing,
    stderr: nothing,
    durationMs: 0,
    cpuMs: null,
    memoryPeakBytes: null,
  };
}

function stderrError(stderr: Uint8Array): Error {
  return new Error(new TextDecoder().decode(stderr).trim() || 'bubblewrap ended before the program ran');
}

function setupError(cause: Error): SkillError {
  if (cause instanceof SkillError) return cause;
  // The caller's mistake, not the machine's.
  if ((cause as NodeJS.ErrnoException).code === 'E2BIG') {
    return new SkillError(
      'INPUT_INVALID',
      'the arguments are longer than this system allows; shorten them, or pass the data as input or files',
      { cause },
    );
  }
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    'the sandbox could not be set up; run "ambit doctor" to see what is missing',
    { cause },
  );
}
