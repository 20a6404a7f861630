import { openSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { thrownText } from '@ambit/core/outcome';
import { searchPath } from '../../../spawn/search-path.ts';
import { startProgram } from '../../../spawn/start-program.ts';
import { watchStatus } from './watch-status.ts';

/** The number of ids; larger ids are not mapped. */
const ids = 65_536;

/** The user id of a skill inside. */
export const userInside = 1000;

/**
 * Creates a user namespace in which a daemon that is root runs skills as `user`, and returns its
 * descriptor, which keeps it alive. The namespace belongs to that user, and a bubblewrap started as
 * that user has all capabilities in it.
 *
 * The host's other ids are mapped too, each to an id that no process inside can take. Only then can
 * bubblewrap, while it sets up the sandbox, enter a folder that only its owner may read; the
 * program that it runs cannot. bubblewrap is not started as root to switch users later, because on
 * such a change the kernel drops the setting that a process dies with its parent.
 *
 * Throws the reason if bubblewrap did not start or created no namespace, or if root may not map users.
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
    const pid = await watchStatus(holder).started;
    if (pid === undefined) {
      const [end, errors] = await Promise.all([holder.ended, text(holder.stderr)]);
      throw 'notStarted' in end
        ? startError(end.notStarted)
        : new Error(errors.trim() || 'bubblewrap created no user namespace');
    }
    return mapUsers(pid, user);
  } finally {
    holder.kill();
    for (const stream of [holder.stdout, holder.stderr]) stream.resume();
    await holder.ended;
  }
}

function startError(cause: NodeJS.ErrnoException): Error {
  if (cause.code !== 'EPERM') return cause;
  return new Error(`root could not become another user: ${cause.message}`, { cause });
}

/** Root of a container usually lacks the capabilities for this. */
function mapUsers(pid: number, user: number): number {
  try {
    for (const kind of ['uid', 'gid']) writeFileSync(`/proc/${pid}/${kind}_map`, mapping(user));
    return openSync(`/proc/${pid}/ns/user`, 'r');
  } catch (cause) {
    throw new Error(`root could not map the users of a sandbox: ${thrownText(cause)}`, { cause });
  }
}

/** A line of `inside outside count` for each range; every host id appears once. */
function mapping(user: number): string {
  const offset = 100_000;
  return [
    [1, 0, 1],
    [userInside, user, 1],
    [offset + 1, 1, user - 1],
    [offset + user + 1, user + 1, ids - user - 1],
  ]
    .map((line) => line.join(' '))
    .join('\n');
}
