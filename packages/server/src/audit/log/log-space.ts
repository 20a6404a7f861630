import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillError } from '@ambit/core';

/** The disk space that a log needs, in bytes. */
export interface SpaceRules {
  /** Below it, `/readyz` and the daemon's log warn. */
  warnFreeBytes: number;
  /** Below it, new calls are refused; running calls are recorded to their end. */
  minFreeBytes: number;
  /** Allocated ahead to record those ends on a full disk; 0: no reserve. See `growReserve`. */
  reserveBytes: number;
}

/** The free space for a log: `low` below `warnFreeBytes`, `short` below `minFreeBytes`. */
export type SpaceLevel = 'enough' | 'low' | 'short';

/** Watches the free space for a log. */
export interface LogSpace {
  room(): SpaceLevel;
  /** Returns why no new call may begin; `undefined` if one may. */
  refusal(): SkillError | undefined;
}

/**
 * `reusableBytes` returns the free bytes inside the log, which SQLite uses before the file grows.
 * `onNote` gets a sentence when the level changes.
 */
export function logSpace(
  file: string,
  rules: SpaceRules,
  reusableBytes: () => number,
  onNote: (note: string) => void,
): LogSpace {
  const { warnFreeBytes, minFreeBytes } = rules;
  let before: SpaceLevel = 'enough';
  const roomOf = (free: number): SpaceLevel => {
    if (free < minFreeBytes && free + reusableBytes() < minFreeBytes) return 'short';
    return free < warnFreeBytes ? 'low' : 'enough';
  };
  const look = (): { free: number; room: SpaceLevel } => {
    const free = freeBytesOf(file);
    const room = roomOf(free);
    if (room !== before) onNote(notes[room](free, rules));
    before = room;
    return { free, room };
  };
  return {
    room: () => look().room,
    refusal() {
      const { free, room } = look();
      return room === 'short' ? tooLittle(file, free, minFreeBytes) : undefined;
    },
  };
}

/**
 * Free bytes on the file system of a file; infinite if unknown, because the next write then reports
 * the error.
 */
export function freeBytesOf(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const notes = {
  enough: (free: number) => `the disk of the audit log has enough space again: ${mebibytes(free)} free`,
  low: (free: number, { warnFreeBytes }: SpaceRules) =>
    `the disk of the audit log has ${mebibytes(free)} free, less than audit.warnFreeBytes (${mebibytes(warnFreeBytes)}); free some space, or prune the log`,
  short: (free: number, { minFreeBytes }: SpaceRules) =>
    `the disk of the audit log has ${mebibytes(free)} free, less than audit.minFreeBytes (${mebibytes(minFreeBytes)}); new calls are refused, and running calls are recorded to their end; free some space`,
};

function tooLittle(file: string, free: number, minimum: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the disk of the audit log ${file} has ${mebibytes(free)} free, less than audit.minFreeBytes (${mebibytes(minimum)}); free some space to accept calls again`,
  );
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}
