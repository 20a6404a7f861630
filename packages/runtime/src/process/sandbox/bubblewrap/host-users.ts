import { randomInt } from 'node:crypto';
import { closeSync } from 'node:fs';
import { userNamespace } from './user-namespace.ts';

/**
 * The host user of programs with granted paths, when the daemon is root. It owns nothing but the
 * files they write.
 */
export const filesUser = 61_184;

/** Host users for everything else: a range that systemd and Debian assign to nothing. */
const ownUsers = { first: 60_578, count: 606 };

/** A host user, and the descriptor of a user namespace that belongs to it. */
interface Slot {
  uid: number;
  namespace: number;
}

/** The slot of one running sandbox. */
export interface UserLease extends Slot {
  /** Call when every process of the sandbox has ended. */
  release(): void;
}

/**
 * Gives each sandbox its own user namespace and, where possible, its own host user. For a daemon
 * that is root.
 */
export interface HostUsers {
  /**
   * Leases `filesUser` if `ownsFiles`, otherwise a user that no other sandbox has; `filesUser`
   * again if none is left. Rejects as `userNamespace` does.
   */
  lease(ownsFiles: boolean): Promise<UserLease>;
  close(): void;
}

/**
 * The kernel has counters per user (descriptors in flight, pipe pages, epoll watches) and per user
 * in a user namespace (queued signals, message queues, processes). With separate slots, one sandbox
 * cannot use up the counters of another.
 *
 * Slots are made on demand, which takes milliseconds, and reused.
 */
export function hostUsers(bubblewrap: string): HostUsers {
  const free: Record<'own' | 'files', Slot[]> = { own: [], files: [] };
  // A random start keeps two daemons on one machine from sharing their first users.
  const start = randomInt(ownUsers.count);
  const unused = Array.from(
    { length: ownUsers.count },
    (_, at) => ownUsers.first + ((start + at) % ownUsers.count),
  );

  return {
    async lease(ownsFiles) {
      const kind = ownsFiles || free.own.length + unused.length === 0 ? 'files' : 'own';
      const slot = free[kind].pop() ?? (kind === 'files' ? await slotOf(filesUser) : await slotOfUnused());
      return { ...slot, release: () => void free[kind].push(slot) };
    },
    close() {
      for (const { namespace } of [...free.own.splice(0), ...free.files.splice(0)]) closeSync(namespace);
    },
  };

  async function slotOfUnused(): Promise<Slot> {
    const uid = unused.shift() ?? filesUser;
    try {
      return await slotOf(uid);
    } catch (error) {
      unused.unshift(uid);
      throw error;
    }
  }

  async function slotOf(uid: number): Promise<Slot> {
    return { uid, namespace: await userNamespace(bubblewrap, uid) };
  }
}
