import { readFileSync } from 'node:fs';
import type { RunLimits } from '../sandbox.ts';

/** `RLIMIT_*`, equal on both architectures (`asm-generic/resource.h`). */
export const rlimitNumbers = {
  cpu: 0,
  fsize: 1,
  data: 2,
  core: 4,
  nproc: 6,
  nofile: 7,
  memlock: 8,
  sigpending: 11,
  msgqueue: 12,
} as const;

/**
 * Limits of each process, soft and hard the same: seconds for `cpu`, otherwise bytes or a count.
 */
export type Rlimits = Readonly<Partial<Record<keyof typeof rlimitNumbers, number>>>;

/**
 * The limits in every sandbox. Several are counted per user, so all skills together must leave
 * enough for other programs.
 */
const always: Rlimits = {
  // The kernel refuses to pass a descriptor when the user has more in flight than the sender may
  // open. Most programs may open 1024, so skills hit their limit first.
  nofile: 512,
  // With 0, a crash still starts the host's core handler; with 1 it does not (core(5)).
  core: 1,
  memlock: 64 * 1024,
  sigpending: 64,
  msgqueue: 16 * 1024,
};

/**
 * The limits of each process of a run; `limits` is absent for Ambit's own helper programs.
 *
 * Pass `alone` if no cgroup limits the run as a whole. The limits then apply to each process, and
 * `beside` is the number of bubblewrap's processes in the same user namespace. No limit exceeds
 * `hardLimits`, the daemon's own: a process inside cannot raise a limit.
 */
export function rlimitsFor(
  limits: RunLimits | undefined,
  alone: { beside: number } | undefined,
  hardLimits: Rlimits,
): Rlimits {
  return Object.fromEntries(
    Object.entries(wantedFor(limits, alone))
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => [name, Math.min(value, hardLimits[name as keyof Rlimits] ?? value)]),
  );
}

function wantedFor(limits: RunLimits | undefined, alone: { beside: number } | undefined): Rlimits {
  if (limits === undefined) return always;
  const { fileBytes: fsize, memoryBytes, dataBytes = memoryBytes, cpuMs, processes } = limits;
  if (alone === undefined) return { ...always, fsize };
  return {
    ...always,
    fsize,
    // Not the address space: some interpreters reserve gigabytes of it.
    data: dataBytes,
    cpu: Math.max(1, Math.ceil(cpuMs / 1000)),
    // Counted for the whole user namespace.
    nproc: processes + alone.beside,
  };
}

const titles: Readonly<Record<keyof typeof rlimitNumbers, string>> = {
  cpu: 'cpu time',
  fsize: 'file size',
  data: 'data size',
  core: 'core file size',
  nproc: 'processes',
  nofile: 'open files',
  memlock: 'locked memory',
  sigpending: 'pending signals',
  msgqueue: 'msgqueue size',
};

/** The hard limits of this process; unlimited ones are absent. */
export function ownHardLimits(): Rlimits {
  const text = readFileSync('/proc/self/limits', 'utf8');
  return Object.fromEntries(
    Object.entries(titles).flatMap(([name, title]) => {
      const hard = new RegExp(`^Max ${title} +\\S+ +(\\d+)`, 'm').exec(text)?.[1];
      return hard === undefined ? [] : [[name, Number(hard)]];
    }),
  );
}
