import { closeSync, fdatasyncSync, openSync, statSync, writeSync } from 'node:fs';
import { freeBytesOf, type SpaceRules } from './log-space.ts';

/** The bytes written at a time, which takes a disk a few milliseconds. */
const stepBytes = 2 ** 20;
const zeros = Buffer.alloc(stepBytes);

/**
 * Grows a write-ahead log by one step towards `reserveBytes`, with zeros after everything that
 * SQLite has written. SQLite overwrites them from the front and does not shorten the file while the
 * log is open. On a full disk, where the database cannot grow, events still fit there, and no other
 * program can take that space. Returns whether it grew. It does not grow if that would leave less
 * than `minFreeBytes`.
 *
 * Only for the thread that writes the log. SQLite holds no lock on this file that closing a
 * descriptor would release.
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
