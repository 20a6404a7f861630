import {
  type BigIntStats,
  closeSync,
  constants,
  close as fsClose,
  lstat as fsLstat,
  open as fsOpen,
  read as fsRead,
  realpath as fsRealpath,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasStamp, type Stamp } from './stamp.ts';

/**
 * The file system calls that reading skill folders needs. Awaiting a value that is already
 * available costs almost nothing, so the same code runs asynchronously in the daemon's main thread
 * and synchronously in a worker thread.
 */
export interface Disk {
  lstat(path: string): Answer<BigIntStats>;
  /** Whether every file still matches its stamp. False if one is missing or unreadable. */
  stampsMatch(stamps: readonly Stamp[]): Answer<boolean>;
  /** The names in a folder, sorted by code unit. `stats` are the folder's, taken just before. */
  names(path: string, stats: BigIntStats): Answer<readonly string[]>;
  readlink(path: string): Answer<string>;
  realpath(path: string): Answer<string>;
  /** Opens for reading. Refuses a link and does not wait for the writer of a FIFO. */
  open(path: string): Answer<number>;
  /** The number of bytes read; 0 at the end. */
  read(descriptor: number, into: Uint8Array): Answer<number>;
  close(descriptor: number): Answer<void>;
  /** Milliseconds since 1970, like a file's times. */
  now(): number;
}

type Answer<Value> = Value | Promise<Value>;

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const opened = promisify(fsOpen);
const closed = promisify(fsClose);
const resolved = promisify(fsRealpath.native);

/** Concurrent calls; more would only queue. */
const lstatConcurrency = 8;

/**
 * Uses the callback API: the promise API takes half as long again, and each call of a skill checks
 * every file.
 */
function matchesStamp(stamp: Stamp): Promise<boolean> {
  return new Promise((resolve) => {
    fsLstat(stamp.path, { bigint: true }, (error, stats) =>
      resolve(error === null && hasStamp(stats, stamp)),
    );
  });
}

/** Never blocks: for the main thread. */
export const asyncDisk: Disk = {
  lstat: (path) => lstat(path, { bigint: true }),
  async stampsMatch(stamps) {
    for (let at = 0; at < stamps.length; at += lstatConcurrency) {
      const some = await Promise.all(stamps.slice(at, at + lstatConcurrency).map(matchesStamp));
      if (some.includes(false)) return false;
    }
    return true;
  },
  names: async (path) => (await readdir(path)).sort(),
  readlink: (path) => readlink(path),
  realpath: (path) => resolved(path),
  open: (path) => opened(path, openFlags),
  read: (descriptor, into) =>
    new Promise((resolve, reject) => {
      fsRead(descriptor, into, 0, into.length, null, (error, bytes) =>
        error === null ? resolve(bytes) : reject(error),
      );
    }),
  close: (descriptor) => closed(descriptor),
  now: Date.now,
};

/** The checks of a local disk that may block a main thread. */
interface BlockingChecks {
  stampsMatch(stamps: readonly Stamp[]): boolean;
  realpath(path: string): string;
}

/** Blocks on every call and is about thirty times faster: for worker threads. */
export const blockingDisk: Disk & BlockingChecks = {
  lstat: (path) => lstatSync(path, { bigint: true }),
  stampsMatch(stamps) {
    try {
      return stamps.every((stamp) => hasStamp(lstatSync(stamp.path, { bigint: true }), stamp));
    } catch {
      return false;
    }
  },
  names: (path) => readdirSync(path).sort(),
  readlink: (path) => readlinkSync(path),
  realpath: (path) => realpathSync.native(path),
  open: (path) => openSync(path, openFlags),
  read: (descriptor, into) => readSync(descriptor, into, 0, into.length, null),
  close: (descriptor) => closeSync(descriptor),
  now: Date.now,
};

/** Whether a file system call failed because the path does not exist. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
