import { execa } from 'execa';
import type { Environment } from './environment.ts';

const timeoutMs = 30_000;
const outputBytesMax = 64 * 1024;

/**
 * Runs one of the operator's commands with `stdin` as its input, as the daemon's user and with its
 * environment, and returns its output. Rejects if the command fails, takes longer than 30 seconds
 * or prints more than 64 KiB. The error never contains the output, which may be a secret.
 */
export async function operatorCommand(
  [file = '', ...args]: readonly string[],
  environment: Environment,
  stdin = '',
): Promise<string> {
  const run = await execa(file, args, {
    env: environment,
    extendEnv: false,
    input: stdin,
    stderr: 'ignore',
    encoding: 'buffer',
    stripFinalNewline: false,
    timeout: timeoutMs,
    maxBuffer: outputBytesMax,
    // Also ends the processes that it started.
    killDescendants: true,
    reject: false,
    verbose: 'none',
  });
  if (!run.failed) return new TextDecoder().decode(run.stdout);
  throw new Error(`${file} ${reason(run)}`);
}

/** The parts of execa's result that contain no output. */
interface FailedRun {
  timedOut: boolean;
  isMaxBuffer: boolean;
  signal?: string | undefined;
  exitCode?: number | undefined;
  code?: string | undefined;
}

function reason(run: FailedRun): string {
  if (run.timedOut) return `timed out after ${timeoutMs / 1000} seconds`;
  if (run.isMaxBuffer) return `printed more than ${outputBytesMax / 1024} KiB`;
  if (run.signal !== undefined) return `was killed by ${run.signal}`;
  if (run.exitCode !== undefined) return `exited with ${run.exitCode}`;
  return `could not be started: ${run.code ?? 'unknown reason'}`;
}
