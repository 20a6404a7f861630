import type { Options } from 'execa';
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
  /** Ends it with SIGKILL, if it has not ended. */
  kill(): void;
  /** Resolves when it ends. Waiting for it alone does not keep this process running. */
  ended: Promise<DetachedEnd>;
}

/**
 * Starts a program in a session of its own, without a terminal. It gets an empty stdin, `output` as stdout and stderr, and only
 * the variables in `environment`.
 */
export async function detachedProgram(
  [file = '', ...args]: readonly string[],
  { cwd, environment, output }: { cwd: string; environment: Environment; output: number },
): Promise<DetachedProgram> {
  // Most commands find a daemon and start none.
  const { execa } = await import('execa');
  const options: Options = {
    cwd,
    env: environment,
    extendEnv: false,
    detached: true,
    // It must not end with this process.
    cleanup: false,
    stdio: ['ignore', descriptor(output), descriptor(output)],
    buffer: false,
    reject: false,
    verbose: 'none',
  };
  const child = execa(file, args, options);
  child.nodeChildProcess.unref();
  // Not the error's message, which repeats all arguments.
  const ended = child.then(({ exitCode, signal, code }) => {
    const isStarted = exitCode !== undefined || signal !== undefined;
    return { exitCode, signal, notStarted: isStarted ? undefined : (code ?? 'unknown reason') };
  });
  return { pid: child.pid, kill: () => void child.kill('SIGKILL'), ended };
}

/** execa accepts the number of any descriptor, but its types do not. */
function descriptor(number: number): 'inherit' {
  return number as unknown as 'inherit';
}
