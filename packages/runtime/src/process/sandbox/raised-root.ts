import { existsSync } from 'node:fs';
import { readyMark } from './bubblewrap-arguments.ts';
import { until } from './until.ts';

/**
 * Waits until bubblewrap has set up a sandbox, and resolves to the path of the sandbox's root from outside. The sandbox waits at
 * its start barrier meanwhile; `pid` is its first process.
 *
 * The path is the root of that process in `/proc`, which the user who started the process may read. A folder that bubblewrap
 * makes shows that this root is the sandbox's and no longer the host's.
 *
 * Resolves to `undefined` if the sandbox ended first; `signal` reports that.
 */
export async function raisedRoot(pid: number, signal: AbortSignal): Promise<string | undefined> {
  const root = `/proc/${pid}/root`;
  let stands = false;
  await until(() => {
    stands = !signal.aborted && existsSync(`${root}${readyMark}`);
    return signal.aborted || stands;
  });
  return stands ? root : undefined;
}
