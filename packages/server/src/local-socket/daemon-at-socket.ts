import { type AnnouncedDaemon, announcedDaemon, processStart } from '@ambit/client/node';
import { isSocketOf } from './socket-folder.ts';

/** A daemon that announced its private socket. */
export interface DaemonAtSocket extends AnnouncedDaemon {
  socket: string;
}

/**
 * The daemon that announced the private socket of a data directory, if its process still runs. Unlike `daemonStatus` this needs
 * no SQLite, which takes longer to load than a call to the daemon. `undefined` if there is none, or the system does not tell when
 * its process started: the lock then decides.
 */
export async function daemonAtSocket(dataDir: string): Promise<DaemonAtSocket | undefined> {
  const announced = await announcedDaemon(dataDir);
  if (announced === null) return undefined;
  const { pid, started, socket } = announced;
  // A copy of a data directory announces the daemon of the original, whose socket has another folder.
  if (started === undefined || socket === undefined || !isSocketOf(dataDir, socket)) return undefined;
  return started === (await processStart(pid)) ? { ...announced, socket } : undefined;
}
