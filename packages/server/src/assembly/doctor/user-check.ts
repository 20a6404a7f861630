import { readFileSync } from 'node:fs';
import { tierCeilings } from '@ambit/core/internal';
import type { Sandbox } from '@ambit/runtime';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';

/** The facts that decide whether skills can use up what the kernel limits per user. */
export interface UserFacts extends Pick<Sandbox, 'boundsRuns' | 'hostUser'> {
  /** How many programs of skills can exist at the same time. */
  programs: number;
  /** `fs.epoll.max_user_watches`. */
  epollWatchesMax: number;
}

/** The kernel allocates at least this for each watch, and counts it towards the memory of the run. */
const epollWatchBytes = 192;

/** For the daemon and the user's other programs. */
const spareWatches = 1_000_000;

/**
 * Checks which user skills run as. If they run as the daemon's user, they share its epoll watches. Node aborts (`SIGABRT`) if it
 * gets none.
 */
export function userCheck({ boundsRuns, hostUser, programs, epollWatchesMax }: UserFacts): DoctorCheck {
  if (hostUser !== undefined) {
    return {
      name: 'user',
      status: 'ok',
      found: 'root',
      meaning: `skills with granted paths run as uid ${hostUser}, to which the paths must be open; every other one has a uid of its own`,
    };
  }
  const found = `uid ${process.getuid?.() ?? 'unknown'}`;
  const needed = Math.ceil((programs * tierCeilings.local.limits.process.memoryBytes) / epollWatchBytes);
  if (boundsRuns && epollWatchesMax >= needed + spareWatches) {
    return {
      name: 'user',
      status: 'ok',
      found,
      meaning: 'skills run as this user, in a user namespace without rights',
    };
  }
  return {
    name: 'user',
    status: 'limited',
    found: `${found}, fs.epoll.max_user_watches = ${epollWatchesMax}`,
    meaning:
      'skills run as this user, in a user namespace without rights; a process skill can use up the epoll watches of this user, which ends the daemon and other programs of this user',
    // Without a bound for the memory of a run, more watches would only move the damage to the machine's memory.
    fix: boundsRuns
      ? `As root: sysctl -w fs.epoll.max_user_watches=${needed + spareWatches}`
      : `Bound the memory of each run (see ceilings), then as root: sysctl -w fs.epoll.max_user_watches=${needed + spareWatches}`,
  };
}

/** `fs.epoll.max_user_watches` of this machine; no limit where there is no such setting. */
export function epollWatchesMax(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/epoll/max_user_watches', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
