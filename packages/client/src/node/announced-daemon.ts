import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from './process-start.ts';

/** The announcement of a running daemon. */
export interface AnnouncedDaemon {
  pid: number;
  /** The start of its process (see `processStart`); absent if the system does not tell. */
  started?: string | undefined;
  /** Absent: it has no address for other programs. */
  url?: string | undefined;
  /** The path of its private socket; absent if it has none. */
  socket?: string | undefined;
  /** The URL of the web console of a daemon on demand, which accepts no keys there; absent while it is not in use. */
  console?: string | undefined;
  version?: string | undefined;
  /** Whether a command started it, and it ends by itself. Such a daemon announces itself before it listens. */
  onDemand?: boolean | undefined;
  /** The path of its configuration file, which need not exist. */
  configFile?: string | undefined;
  /** Tells the configuration that it started with from another one. */
  configDigest?: string | undefined;
}

/** The announcement of this process. */
export async function ownAnnouncement(
  daemon: Omit<AnnouncedDaemon, 'pid' | 'started'>,
): Promise<AnnouncedDaemon> {
  return { pid: process.pid, started: await processStart(process.pid), ...daemon };
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
    const { pid, started, url, socket, console, version, onDemand, configFile, configDigest } = announced;
    return { pid, started, url, socket, console, version, onDemand, configFile, configDigest };
  } catch {
    // Another user's file by now.
    return null;
  }
}

/** Whether the process of an announcement still runs. True if the system does not tell. */
export async function isAnnouncerRunning({ pid, started }: AnnouncedDaemon): Promise<boolean> {
  return started === undefined || started === (await processStart(pid));
}

function isAnnouncement(announced: Partial<AnnouncedDaemon> | null): announced is AnnouncedDaemon {
  if (announced === null) return false;
  const { pid, url, onDemand } = announced;
  const { started, socket, console, version, configFile, configDigest } = announced;
  return (
    Number.isSafeInteger(pid) &&
    Number(pid) > 0 &&
    url !== '' &&
    [started, url, socket, console, version, configFile, configDigest].every(
      (text) => text === undefined || typeof text === 'string',
    ) &&
    (onDemand === undefined || typeof onDemand === 'boolean')
  );
}
