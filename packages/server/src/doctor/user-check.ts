import { readFileSync } from 'node:fs';
import type { Sandbox } from '@ambit/runtime';
import type { DoctorCheck } from './doctor-report.ts';

/** The facts that decide whether skills can use up what the kernel limits per user. */
export interface UserFacts extends Pick<Sandbox, 'boundsRuns' | 'hostUser'> {
  /** The memory of all programs of skills together. */
  memoryShareBytes: number;
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
export function userCheck({
  boundsRuns,
  hostUser,
  memoryShareBytes,
  epollWatchesMax,
}: UserFacts): DoctorCheck {
  if (hostUser !== undefined) {
    return {
      name: 'user',
      status: 'ok',
      found: 'root',
      meaning: `skills with granted paths run as uid ${hostUser}, which needs access to those paths; every other skill has its own uid`,
    };
  }
  const found = `uid ${process.getuid?.() ?? 'unknown'}`;
  const needed = Math.ceil(memoryShareBytes / epollWatchBytes);
  if (boundsRuns && epollWatchesMax >= needed + spareWatches) {
    return {
      name: 'user',
      status: 'ok',
      found,
      meaning: 'skills run as this user, in an unprivileged user namespace',
    };
  }
  return {
    name: 'user',
    status: 'limited',
    found: `${found}, fs.epoll.max_user_watches = ${epollWatchesMax}`,
    meaning:
      'skills run as this user, in an unprivileged user namespace; a process skill can exhaust the epoll watches of this user, which crashes the daemon and other programs of this user',
    // Without a memory limit per run, more watches would exhaust the machine's memory instead.
    fix: boundsRuns
      ? `As root: sysctl -w fs.epoll.max_user_watches=${needed + spareWatches}`
      : `Limit the memory of each run (see limits), then as root: sysctl -w fs.epoll.max_user_watches=${needed + spareWatches}`,
  };
}

/** `fs.epoll.max_user_watches` of this machine; infinity if the setting does not exist. */
export function epollWatchesMax(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/epoll/max_user_watches', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
