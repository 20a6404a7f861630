import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from './environment.ts';

/** The end of a detached program: an exit code, a signal, or the reason why it could not be started. */
export interface DetachedEnd {
  exitCode: number | undefined;
  signal: string | undefined;
  /** The code of the error, such as `EAGAIN`; absent: it was started. */
  notStarted: string | undefined;
}

/** A program that continues when this process ends. */
export interface DetachedProgram {
  /** `undefined` if it could not be started. */
  pid: number | undefined;
  /** Resolves when it ends. Waiting for it alone does not keep this process running. */
  ended: Promise<DetachedEnd>;
}

/**
 * Starts a program in a session of its own, without a terminal. It gets an empty stdin, `output` as stdout and stderr, and only
 * the variables in `environment`. Uses Node itself: every command can start one, and execa takes longer to load.
 */
export function detachedProgram(
  [file = '', ...args]: readonly string[],
  { cwd, environment, output }: { cwd: string; environment: Environment; output: number },
): DetachedProgram {
  const { promise: ended, resolve } = Promise.withResolvers<DetachedEnd>();
  const onError = (error: unknown): void => {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    resolve({ exitCode: undefined, signal: undefined, notStarted: code });
  };
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', output, output],
    });
  } catch (error) {
    onError(error);
    return { pid: undefined, ended };
  }
  child.on('error', onError);
  child.on('exit', (code, signal) =>
    resolve({ exitCode: code ?? undefined, signal: signal ?? undefined, notStarted: undefined }),
  );
  child.unref();
  return { pid: child.pid, ended };
}
