import type { Readable, Writable } from 'node:stream';
import { SkillError } from '@ambit/core';
import { execa } from 'execa';
import type { RunBounds, SandboxedRun } from './sandbox.ts';

/** How a program of the host is started for a sandbox. */
export interface BoundedOptions {
  /** The whole environment of the program: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  bounds: RunBounds;
  /** Aborting it kills the program; whatever comes first, the deadline or this, is how the run ended. */
  signal: AbortSignal;
  cwd?: string;
  /** Whom to run it as, without any group but his own; absent: as whoever the daemon is. Only for root. */
  user?: number | undefined;
  /** Open files that the program gets, from descriptor 5 on. */
  files?: readonly number[];
  /** Called once with the first that the program writes to descriptor 3, and with what opens its gate, descriptor 4. */
  onControl?: (text: string, openGate: () => void) => void;
  /** Called when the run is ended from outside, for what killing the program's group does not reach. */
  onStop?: () => void;
}

/** `control` holds what the program wrote to descriptor 3. */
export interface BoundedRun extends SandboxedRun {
  control: string;
}

/** Aborting with this reason ends a run as `out-of-cpu`. */
export const outOfCpu = Symbol('out of cpu');

/** A control message is two short lines of JSON; more than this is not one. */
const controlBytes = 64 * 1024;

/**
 * Runs a program of the host to its end, with its output, its time and its environment bounded. It is killed with
 * SIGKILL, at once: a skill that ignores SIGTERM gains nothing.
 *
 * Rejects with `SANDBOX_UNAVAILABLE` when the program cannot be started.
 */
export async function runBounded(
  file: string,
  args: readonly string[],
  { env, cwd, user, bounds, signal, files = [], onControl, onStop }: BoundedOptions,
): Promise<BoundedRun> {
  if (signal.aborted) return neverStarted(signal.reason);
  const deadline = AbortSignal.timeout(bounds.timeoutMs);
  const stop = AbortSignal.any([signal, deadline]);
  const startedAt = performance.now();
  const program = execa(file, [...args], {
    env,
    extendEnv: false,
    input: bounds.stdin,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...files] as ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    encoding: 'buffer',
    maxBuffer: { stdout: bounds.outputBytes, stderr: bounds.outputBytes, fd3: controlBytes },
    stripFinalNewline: false,
    cancelSignal: stop,
    killSignal: 'SIGKILL',
    // Signals are the program's own business: execa's clean-up would raise them again behind an orderly stop.
    cleanup: false,
    // The group, not the process: bubblewrap's child is bound to its parent's death only some time after it was made,
    // and a kill in between would leave it running.
    killDescendants: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
    reject: false,
  });
  if (onControl !== undefined) watchControl(program.stdio[3], program.stdio[4], onControl);
  if (onStop !== undefined) stop.addEventListener('abort', onStop, { once: true });
  const result = await program;
  if (onStop !== undefined) stop.removeEventListener('abort', onStop);
  const written = {
    stdout: bytes(result.stdout),
    stderr: bytes(result.stderr),
    control: new TextDecoder().decode(bytes(result.stdio[3])),
    durationMs: performance.now() - startedAt,
    cpuMs: null,
    memoryPeakBytes: null,
  };
  if (result.isMaxBuffer) return { ...written, end: { status: 'output-too-large' } };
  if (result.isCanceled) {
    // `stop` carries the reason of whichever came first.
    if (stop.reason === deadline.reason) return { ...written, end: { status: 'timed-out' } };
    if (stop.reason === outOfCpu) return { ...written, end: { status: 'out-of-cpu' } };
    return { ...written, end: { status: 'canceled', reason: reasonText(stop.reason) } };
  }
  if (result.exitCode !== undefined)
    return { ...written, end: { status: 'exited', exitCode: result.exitCode } };
  if (result.signal !== undefined) return { ...written, end: { status: 'exited', exitCode: 137 } };
  throw new SkillError(
    'SANDBOX_UNAVAILABLE',
    `${file} could not be started; "ambit doctor" says what is missing`,
    {
      cause: result.cause ?? result,
    },
  );
}

function watchControl(
  control: Readable | null,
  gate: unknown,
  onControl: NonNullable<BoundedOptions['onControl']>,
): void {
  // A pipe of Node's beyond the third is a socket: it can be written, whatever its type says.
  const opener = gate as Writable | null;
  // A program that is gone does not read what it is told.
  opener?.on('error', () => undefined);
  control?.once('data', (chunk: Uint8Array) =>
    onControl(new TextDecoder().decode(chunk), () => opener?.end('.')),
  );
}

function neverStarted(reason: unknown): BoundedRun {
  const nothing = new Uint8Array();
  return {
    end: { status: 'canceled', reason: reasonText(reason) },
    stdout: nothing,
    stderr: nothing,
    control: '',
    durationMs: 0,
    cpuMs: null,
    memoryPeakBytes: null,
  };
}

function bytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function reasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
