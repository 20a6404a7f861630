import { closeSync, fdatasyncSync, openSync, statSync, writeSync } from 'node:fs';
import { freeBytesOf, type SpaceRules } from './log-space.ts';

/** Written in one go: a disk takes it within some milliseconds. */
const stepBytes = 2 ** 20;
const zeros = Buffer.alloc(stepBytes);

/**
 * The most that can be reserved. SQLite keeps track of the frames of its write-ahead log in `-shm`, and allocates the next part
 * of that after 4062 frames, which a full disk would refuse.
 */
export const reserveBytesMax = 16_000_000;

/**
 * Allocates some more of a write-ahead log, behind all that SQLite has written there, until it has `reserveBytes`. SQLite writes
 * over it from the front, and does not give it back while the log is open: on a full disk, where the database itself cannot
 * grow, events still find room there, and nobody else can take it. Returns whether there is more to do; room that others need
 * more is not taken.
 *
 * Only for the thread that writes the log. SQLite holds no lock on this file that closing a descriptor would give up.
 */
export function growReserve(wal: string, { reserveBytes, minFreeBytes }: SpaceRules): boolean {
  const size = statSync(wal, { throwIfNoEntry: false })?.size ?? reserveBytes;
  const bytes = Math.min(stepBytes, reserveBytes - size);
  if (bytes <= 0 || freeBytesOf(wal) - bytes < minFreeBytes) return false;
  const descriptor = openSync(wal, 'r+');
  try {
    writeSync(descriptor, zeros, 0, bytes, size);
    fdatasyncSync(descriptor);
    return true;
  } finally {
    closeSync(descriptor);
  }
}
