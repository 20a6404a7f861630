import { openSync, writeFileSync } from 'node:fs';
import { searchPath } from '../search-path.ts';
import { startProgram } from './start-program.ts';
import { watchStatus } from './watch-status.ts';

/** Who a skill is inside, and on the host when the daemon is root: an id that owns nothing there. */
export const sandboxUser = { inside: 1000, host: 61_184 } as const;

/** How many ids there are; more are not mapped. */
const ids = 65_536;

/**
 * Makes the user namespace in which a daemon that is root runs skills, and returns its descriptor, which keeps it
 * alive. It belongs to `sandboxUser.host`, and a bubblewrap that is started as that user has all capabilities in it.
 *
 * The host's other ids are mapped too, each to a number that nobody inside can become, because only then may
 * bubblewrap, while it raises the walls, reach a folder that its owner keeps to himself; nothing that it runs can.
 * bubblewrap is not started as root, to become another user later, because the kernel forgets at such a change that a
 * process shall die with its parent.
 *
 * Throws why bubblewrap did not start, or that it started and made none.
 */
export async function userNamespace(bubblewrap: string): Promise<number> {
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
  const holder = startProgram(bubblewrap, args, { env: { PATH: searchPath }, user: sandboxUser.host });
  try {
    const pid = await watchStatus(holder).begun;
    if (pid === undefined) {
      const end = await holder.ended;
      throw 'notStarted' in end ? end.notStarted : new Error('bubblewrap made no user namespace');
    }
    for (const kind of ['uid', 'gid']) writeFileSync(`/proc/${pid}/${kind}_map`, mapping());
    return openSync(`/proc/${pid}/ns/user`, 'r');
  } finally {
    holder.kill();
    for (const stream of [holder.stdout, holder.stderr]) stream.resume();
    await holder.ended;
  }
}

/** `inside outside count`, a line each; every host id once. */
function mapping(): string {
  const { inside, host } = sandboxUser;
  const apart = 100_000;
  return [
    [1, 0, 1],
    [inside, host, 1],
    [apart + 1, 1, host - 1],
    [apart + host + 1, host + 1, ids - host - 1],
  ]
    .map((line) => line.join(' '))
    .join('\n');
}
