import { openSync, writeFileSync } from 'node:fs';
import { searchPath } from '../search-path.ts';
import { startProgram } from './start-program.ts';
import { watchStatus } from './watch-status.ts';

/** How many ids there are; more are not mapped. */
const ids = 65_536;

/** Who a skill is inside. */
export const userInside = 1000;

/**
 * Makes a user namespace in which a daemon that is root runs skills as `user`, and returns its descriptor, which keeps it
 * alive. It belongs to that user, and a bubblewrap that is started as that user has all capabilities in it.
 *
 * The host's other ids are mapped too, each to a number that nobody inside can become, because only then may
 * bubblewrap, while it raises the walls, reach a folder that its owner keeps to himself; nothing that it runs can.
 * bubblewrap is not started as root, to become another user later, because the kernel forgets at such a change that a
 * process shall die with its parent.
 *
 * Throws why bubblewrap did not start, or that it started and made none.
 */
export async function userNamespace(bubblewrap: string, user: number): Promise<number> {
  const args = [
    '--unshare-user',
    '--info-fd',
    '3',
    '--userns-block-fd',
    '4',
    '--dev-bind',
    '/',
    '/',
    '--',
    '/bin/true',
  ];
  const holder = startProgram(bubblewrap, args, { env: { PATH: searchPath }, user });
  try {
    const pid = await watchStatus(holder).begun;
    if (pid === undefined) {
      const end = await holder.ended;
      throw 'notStarted' in end ? end.notStarted : new Error('bubblewrap made no user namespace');
    }
    for (const kind of ['uid', 'gid']) writeFileSync(`/proc/${pid}/${kind}_map`, mapping(user));
    return openSync(`/proc/${pid}/ns/user`, 'r');
  } finally {
    holder.kill();
    for (const stream of [holder.stdout, holder.stderr]) stream.resume();
    await holder.ended;
  }
}

/** `inside outside count`, a line each; every host id once. */
function mapping(user: number): string {
  const apart = 100_000;
  return [
    [1, 0, 1],
    [userInside, user, 1],
    [apart + 1, 1, user - 1],
    [apart + user + 1, user + 1, ids - user - 1],
  ]
    .map((line) => line.join(' '))
    .join('\n');
}
