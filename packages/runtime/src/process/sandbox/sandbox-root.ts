import { existsSync } from 'node:fs';
import { readyMark } from './bubblewrap-arguments.ts';
import { until } from './until.ts';

/**
 * Waits until bubblewrap has set up a sandbox, and resolves to the path of its root from outside.
 * Meanwhile the sandbox waits at its start barrier; `pid` is its first process.
 *
 * The path is that process's root in `/proc`, which the user who started the process may read. A
 * folder that bubblewrap creates shows that this is the sandbox's root and no longer the host's.
 *
 * Resolves to `undefined` if the sandbox ended first, which `signal` reports.
 */
export async function sandboxRoot(pid: number, signal: AbortSignal): Promise<string | undefined> {
  const root = `/proc/${pid}/root`;
  let isReady = false;
  await until(() => {
    isReady = !signal.aborted && existsSync(`${root}${readyMark}`);
    return signal.aborted || isReady;
  });
  return isReady ? root : undefined;
}
