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
 * What reading skill folders asks of the machine. Whoever awaits an answer that is already there loses next to nothing,
 * so that the same code reads at leisure in the daemon's own thread and at full speed in one that may block.
 */
export interface Disk {
  lstat(path: string): Answer<BigIntStats>;
  /** Whether everything still looks as it did. False when something is gone or cannot be looked at. */
  looksLike(stamps: readonly Stamp[]): Answer<boolean>;
  /** What lies in a folder, in order of code units. `stats` are the folder's, taken just before. */
  names(path: string, stats: BigIntStats): Answer<readonly string[]>;
  readlink(path: string): Answer<string>;
  realpath(path: string): Answer<string>;
  /** For reading; a link is refused, and a FIFO that somebody puts there is not waited for. */
  open(path: string): Answer<number>;
  /** How many bytes came; 0 at the end. */
  read(descriptor: number, into: Uint8Array): Answer<number>;
  close(descriptor: number): Answer<void>;
  /** Milliseconds since 1970, as a file's times count them. */
  now(): number;
}

type Answer<Value> = Value | Promise<Value>;

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const opened = promisify(fsOpen);
const closed = promisify(fsClose);
const resolved = promisify(fsRealpath.native);

/** What is under way at a time; the others would only wait for it. */
const lookedAtOnce = 8;

/** With a callback: a promise of Node's own takes half as long again, and this is asked for each file at each call. */
function isUnchanged(stamp: Stamp): Promise<boolean> {
  return new Promise((resolve) => {
    fsLstat(stamp.path, { bigint: true }, (error, stats) =>
      resolve(error === null && hasStamp(stats, stamp)),
    );
  });
}

/** Never blocks: for the thread that answers callers. */
export const patientDisk: Disk = {
  lstat: (path) => lstat(path, { bigint: true }),
  async looksLike(stamps) {
    for (let at = 0; at < stamps.length; at += lookedAtOnce) {
      const some = await Promise.all(stamps.slice(at, at + lookedAtOnce).map(isUnchanged));
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

/** Blocks at every call, and is some thirty times faster for it: for a thread of its own. */
export const blockingDisk: Disk = {
  lstat: (path) => lstatSync(path, { bigint: true }),
  looksLike(stamps) {
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
