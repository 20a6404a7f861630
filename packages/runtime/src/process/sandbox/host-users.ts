import { randomInt } from 'node:crypto';
import { closeSync } from 'node:fs';
import { userNamespace } from './user-namespace.ts';

/** The user of the host to whom granted files have to be open, when the daemon is root: an id that owns nothing else there. */
export const filesUser = 61_184;

/** Users of single runs: ids that systemd's and Debian's conventions leave unused, so that nothing on the host is theirs. */
const ownUsers = { first: 60_578, count: 606 };

/** A user of the host, and the descriptor of a user namespace that belongs to it. */
interface Place {
  uid: number;
  namespace: number;
}

/** Who one sandbox is on the host, for as long as it lasts. No other has the namespace meanwhile. */
export interface HostUser extends Place {
  /** When nothing of the sandbox lives any more. */
  release(): void;
}

/** Gives each sandbox of a daemon that is root a user namespace of its own, and a user where that is possible. */
export interface HostUsers {
  /**
   * With `ownsFiles` as `filesUser`, else as a user that no other sandbox is meanwhile; where all of those are taken, as
   * `filesUser` too. Rejects as `userNamespace` does.
   */
  take(ownsFiles: boolean): Promise<HostUser>;
  close(): void;
}

/**
 * The kernel counts much for a user (descriptors under way, pages of pipes, watches of epoll) or for a user in a user
 * namespace (queued signals, message queues, processes). What one sandbox takes of these another does not miss.
 *
 * A namespace is made when there are more sandboxes at a time than ever before, which takes milliseconds, and used again.
 */
export function hostUsers(bubblewrap: string): HostUsers {
  const free: Record<'own' | 'files', Place[]> = { own: [], files: [] };
  // Two daemons of one machine seldom begin with the same.
  const start = randomInt(ownUsers.count);
  const unused = Array.from(
    { length: ownUsers.count },
    (_, at) => ownUsers.first + ((start + at) % ownUsers.count),
  );

  return {
    async take(ownsFiles) {
      const kind = ownsFiles || free.own.length + unused.length === 0 ? 'files' : 'own';
      const place = free[kind].pop() ?? (kind === 'files' ? await made(filesUser) : await madeOfUnused());
      return { ...place, release: () => void free[kind].push(place) };
    },
    close() {
      for (const { namespace } of [...free.own.splice(0), ...free.files.splice(0)]) closeSync(namespace);
    },
  };

  async function madeOfUnused(): Promise<Place> {
    const uid = unused.shift() ?? filesUser;
    try {
      return await made(uid);
    } catch (error) {
      unused.unshift(uid);
      throw error;
    }
  }

  async function made(uid: number): Promise<Place> {
    return { uid, namespace: await userNamespace(bubblewrap, uid) };
  }
}
