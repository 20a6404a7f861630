import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from './process-start.ts';

/** What a daemon that listens says of itself. */
export interface AnnouncedDaemon {
  pid: number;
  /** When its process started (see `processStart`); absent where the system does not tell. */
  started?: string;
  url: string;
}

/** What this process announces when it listens. */
export async function ownAnnouncement(url: string): Promise<AnnouncedDaemon> {
  const started = await processStart(process.pid);
  return { pid: process.pid, ...(started !== undefined && { started }), url };
}

/** Where it says so, in its data directory. */
export function announcementFile(dataDir: string): string {
  return join(dataDir, 'daemon.json');
}

/** The key of its first start, in its data directory. */
export function keyFileOf(dataDir: string): string {
  return join(dataDir, 'key');
}

/** NONBLOCK, so that a pipe in its place is not waited for. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The daemon that said last that it uses a data directory; `null` where none has, or what is there is no announcement. One
 * that was killed has not taken its announcement back.
 */
export async function announcedDaemon(dataDir: string): Promise<AnnouncedDaemon | null> {
  try {
    const text = await readFile(announcementFile(dataDir), { encoding: 'utf8', flag: readFlags });
    const said = JSON.parse(text) as Partial<AnnouncedDaemon>;
    if (!isAnnouncement(said)) return null;
    const { pid, started, url } = said;
    return started === undefined ? { pid, url } : { pid, started, url };
  } catch {
    // Somebody else's file by now.
    return null;
  }
}

function isAnnouncement(said: Partial<AnnouncedDaemon> | null): said is AnnouncedDaemon {
  return (
    Number.isSafeInteger(said?.pid) &&
    Number(said?.pid) > 0 &&
    (said?.started === undefined || typeof said.started === 'string') &&
    typeof said?.url === 'string' &&
    said.url !== ''
  );
}
