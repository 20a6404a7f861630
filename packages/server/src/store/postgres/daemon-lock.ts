import { setTimeout as delay } from 'node:timers/promises';
import { withinTime } from '../../within-time.ts';
import { sql } from '../statement.ts';
import type { Connection } from './connections.ts';
import { serverErrorOf } from './postgres-advice.ts';
import { lockFamily } from './prepare-schema.ts';

/** The lock of a daemon on its database: alone, or together with the other nodes of its cluster. */
export interface DaemonLock {
  /** Resolves if it is held; waits a little while it is taken again. Rejects with the reason why it is not held. */
  requireHeld(): Promise<void>;
  /** Takes it again over a new connection. */
  renew(): void;
  release(): void;
}

/** Whether a daemon uses a database alone, or as a node of a cluster. */
export type DatabaseUse = 'alone' | 'node';

const daemonLock = 2;
/** The server may need a moment to notice that a killed daemon is gone. */
const lockWaitMs = 1000;
const [shortestWaitMs, longestWaitMs] = [50, 2000];
const patienceMs = 1000;

/**
 * Takes the lock on a connection of its own, with which the server releases it. A lost connection is replaced. Rejects if
 * another connection holds the lock in a way that excludes this one.
 */
export async function takeDaemonLock(
  connect: (onEnd: () => void) => Promise<Connection>,
  use: DatabaseUse,
): Promise<DaemonLock> {
  let holder: Connection | undefined;
  let isReleased = false;
  let reason: unknown;
  let taking: Promise<void> | undefined;

  const take = async (): Promise<void> => {
    const connection = await connect(() => {
      if (holder === undefined || holder !== connection) return;
      holder = undefined;
      reason = undefined;
      takeAgain();
    });
    try {
      await connection.rowsOf(sql`SELECT set_config('lock_timeout', ${String(lockWaitMs)}, false)`);
      await connection.rowsOf(
        use === 'alone'
          ? sql`SELECT pg_advisory_lock(${lockFamily}, ${daemonLock})`
          : sql`SELECT pg_advisory_lock_shared(${lockFamily}, ${daemonLock})`,
      );
    } catch (error) {
      connection.drop();
      if (serverErrorOf(error)?.code !== '55P03') throw error;
      throw new Error(
        use === 'alone'
          ? 'another Ambit uses it, and without a cluster a database serves one daemon; stop the other, or name another database in store.postgres.url'
          : 'an Ambit without a cluster uses it; stop it, or add cluster to its configuration',
        { cause: error },
      );
    }
    if (isReleased) return connection.drop();
    holder = connection;
  };
  const takeAgain = (): void => {
    taking ??= retaking().finally(() => {
      taking = undefined;
    });
  };
  const retaking = async (): Promise<void> => {
    for (let waitMs = shortestWaitMs; holder === undefined && !isReleased; waitMs *= 2) {
      try {
        await take();
      } catch (error) {
        reason = error;
        await delay(Math.min(waitMs, longestWaitMs), undefined, { ref: false });
      }
    }
  };
  await take();
  return {
    async requireHeld() {
      if (holder !== undefined) return;
      if (taking !== undefined) await withinTime(patienceMs, taking);
      if (holder === undefined)
        throw reason ?? new Error('the lock on it was lost with its connection, and is being taken again');
    },
    renew: () => holder?.drop(),
    release() {
      isReleased = true;
      holder?.drop();
      holder = undefined;
    },
  };
}
