import { existsSync } from 'node:fs';
import { readyMark } from './bubblewrap-arguments.ts';
import { until } from './until.ts';

/**
 * Waits until the walls of a sandbox stand, and resolves to its root as it is seen from outside. The sandbox waits at its gate
 * meanwhile; `pid` is its first process.
 *
 * The way in is the process's own root in `/proc`, which needs no rights that the one who started it does not have. A
 * folder that bubblewrap makes tells that the root is the sandbox's and no longer the host's.
 *
 * Resolves to `undefined` when the sandbox ended before that; `signal` tells.
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
