import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirLock, daemonStatus, lockDataDir } from '../audit/file/lock-data-dir.ts';
import { type Turn, takeTurn } from '../audit/file/turn.ts';
import { signalDaemon } from '../running-daemon/signal-daemon.ts';

const pollMs = 50;

interface TakeOver {
  /** Called before it waits for a daemon to end. */
  onWait?(daemon: { pid: number }): void;
  /** Ends the wait. */
  stopped?: AbortSignal | undefined;
}

/**
 * Locks a data directory like `lockDataDir`. A daemon on demand that uses it is asked to end, which it does after its running
 * calls. Until this process has announced a daemon, or released the lock, no command starts another one. Rejects with the reason
 * of `stopped`.
 */
export async function lockOrTakeOver(
  dataDir: string,
  { onWait, stopped }: TakeOver = {},
): Promise<DataDirLock> {
  if ((await onDemandDaemon(dataDir)) === undefined) return lockDataDir(dataDir);
  const asked = new Set<number>();
  let turn: Turn | undefined;
  try {
    for (;;) {
      turn ??= await takeTurn(dataDir, 'start');
      const daemon = await onDemandDaemon(dataDir);
      if (daemon !== undefined && !asked.has(daemon.pid)) {
        asked.add(daemon.pid);
        onWait?.(daemon);
        await signalDaemon(daemon, dataDir, 'SIGTERM');
      }
      if (daemon === undefined && turn !== undefined) break;
      await delay(pollMs, undefined, { signal: stopped });
    }
    return untilAnnounced(await lockDataDir(dataDir), turn);
  } catch (error) {
    turn?.release();
    throw stopped?.aborted ? stopped.reason : error;
  }
}

async function onDemandDaemon(dataDir: string) {
  const status = await daemonStatus(dataDir);
  return status.running && status.process?.onDemand === true ? status.process : undefined;
}

function untilAnnounced(lock: DataDirLock, turn: Turn): DataDirLock {
  return {
    held: lock.held,
    async announce(address) {
      await lock.announce(address);
      turn.release();
    },
    async release() {
      turn.release();
      await lock.release();
    },
  };
}
