import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from './process-start.ts';

/** The announcement of a running daemon. */
export interface AnnouncedDaemon {
  pid: number;
  /** The start of its process (see `processStart`); absent if the system does not tell. */
  started?: string | undefined;
  url: string;
  /** The path of its private socket; absent if it has none. */
  socket?: string | undefined;
}

/** The announcement of this process. */
export async function ownAnnouncement(url: string): Promise<AnnouncedDaemon> {
  const started = await processStart(process.pid);
  return { pid: process.pid, started, url };
}

/** The file with the announcement, in the data directory. */
export function announcementFile(dataDir: string): string {
  return join(dataDir, 'daemon.json');
}

/** The file with the key of the first start, in the data directory. */
export function keyFileOf(dataDir: string): string {
  return join(dataDir, 'key');
}

/** NONBLOCK, so that a pipe in its place does not block. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The last daemon that announced the use of a data directory; `null` if there is none or the file
 * is invalid. A killed daemon leaves its announcement.
 */
export async function announcedDaemon(dataDir: string): Promise<AnnouncedDaemon | null> {
  try {
    const text = await readFile(announcementFile(dataDir), { encoding: 'utf8', flag: readFlags });
    const announced: Partial<AnnouncedDaemon> | null = JSON.parse(text);
    if (!isAnnouncement(announced)) return null;
    const { pid, started, url, socket } = announced;
    return { pid, started, url, socket };
  } catch {
    // Another user's file by now.
    return null;
  }
}

function isAnnouncement(announced: Partial<AnnouncedDaemon> | null): announced is AnnouncedDaemon {
  return (
    Number.isSafeInteger(announced?.pid) &&
    Number(announced?.pid) > 0 &&
    (announced?.started === undefined || typeof announced.started === 'string') &&
    (announced?.socket === undefined || typeof announced.socket === 'string') &&
    typeof announced?.url === 'string' &&
    announced.url !== ''
  );
}
