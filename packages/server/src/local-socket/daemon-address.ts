import { type AnnouncedDaemon, announcedDaemon, processStart } from '@ambit/client/node';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import { isSocketOf } from './socket-folder.ts';

/**
 * The daemon that uses a data directory and has announced where it listens; `undefined` if there is none. The lock decides, except
 * for a daemon that still runs and has its private socket: SQLite takes longer to load than a call to the daemon.
 */
export async function daemonAddress(dataDir: string): Promise<AnnouncedDaemon | undefined> {
  const announced = await announcedDaemon(dataDir);
  if (announced !== null && (await isSurelyThere(dataDir, announced))) return announced;
  const status = await daemonStatus(dataDir);
  return status.running ? (status.address ?? undefined) : undefined;
}

async function isSurelyThere(dataDir: string, { pid, started, socket }: AnnouncedDaemon): Promise<boolean> {
  // A copy of a data directory announces the daemon of the original, whose socket has another folder.
  if (started === undefined || socket === undefined || !isSocketOf(dataDir, socket)) return false;
  return started === (await processStart(pid));
}
