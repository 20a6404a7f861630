import { execa } from 'execa';
import type { Environment } from '../environment/environment.ts';

const timeoutMs = 30_000;
const outputBytesMax = 64 * 1024;

/**
 * Runs a command of the operator's with `stdin` as its input, as the daemon's user and with its environment, and returns
 * what it printed. Rejects when the command fails, takes longer than 30 seconds or prints more than 64 KiB. The error
 * never holds what it printed: that may be a secret.
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
    // What it started ends with it.
    killDescendants: true,
    reject: false,
    verbose: 'none',
  });
  if (!run.failed) return new TextDecoder().decode(run.stdout);
  throw new Error(`${file} ${reason(run)}`);
}

/** The parts of execa's result that hold nothing of what the command printed. */
interface FailedRun {
  timedOut: boolean;
  isMaxBuffer: boolean;
  signal?: string | undefined;
  exitCode?: number | undefined;
  code?: string | undefined;
}

function reason(run: FailedRun): string {
  if (run.timedOut) return `did not end within ${timeoutMs / 1000} seconds`;
  if (run.isMaxBuffer) return `printed more than ${outputBytesMax / 1024} KiB`;
  if (run.signal !== undefined) return `was ended by ${run.signal}`;
  if (run.exitCode !== undefined) return `exited with ${run.exitCode}`;
  return `could not be started: ${run.code ?? 'unknown reason'}`;
}
