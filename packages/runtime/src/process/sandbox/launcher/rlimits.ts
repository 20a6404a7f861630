import { readFileSync } from 'node:fs';
import type { RunCeilings } from '../sandbox.ts';

/** `RLIMIT_*`, alike on both machines (`asm-generic/resource.h`). */
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

/** Limits of each process by itself, soft and hard alike: seconds for `cpu`, else bytes or a number. */
export type Rlimits = Readonly<Partial<Record<keyof typeof rlimitNumbers, number>>>;

/**
 * What holds in every sandbox. The kernel counts each of these for a user, so that the most that many skills take together
 * has to be less than the least that others need.
 */
const always: Rlimits = {
  // Half of the 1024 that most programs of a user have: the descriptors that skills have on their way over sockets never
  // come to what keeps those programs from sending any.
  nofile: 512,
  // A limit of 0 would not keep a crash from starting the host's handler of core dumps; 1 does (core(5)).
  core: 1,
  memlock: 64 * 1024,
  sigpending: 64,
  msgqueue: 16 * 1024,
};

/**
 * The limits of each process of a run with these ceilings; without any for programs of our own that only look around.
 *
 * `alone` is there where the kernel cannot be told to bound the run as a whole: its ceilings then hold for each process.
 * `beside` are the processes of bubblewrap in the run's user namespace. Nothing exceeds `most`, what this process may have
 * itself, because nothing inside could set that.
 */
export function rlimitsFor(
  ceilings: RunCeilings | undefined,
  alone: { beside: number } | undefined,
  most: Rlimits,
): Rlimits {
  const wanted = {
    ...always,
    ...(ceilings && { fsize: ceilings.fileBytes }),
    ...(ceilings && alone && ofEachProcess(ceilings, alone.beside)),
  };
  return Object.fromEntries(
    Object.entries(wanted)
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => [name, Math.min(value, most[name as keyof Rlimits] ?? value)]),
  );
}

function ofEachProcess({ memoryBytes, cpuMs, processes }: RunCeilings, beside: number): Rlimits {
  return {
    // The whole address space would count what is only reserved, which some interpreters do by the gigabyte.
    data: memoryBytes,
    cpu: Math.max(1, Math.ceil(cpuMs / 1000)),
    // Of the user namespace.
    nproc: processes + beside,
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

/** The hard limits of this process; those that are unlimited, or not told, are absent. */
export function ownHardLimits(): Rlimits {
  const text = readFileSync('/proc/self/limits', 'utf8');
  return Object.fromEntries(
    Object.entries(titles).flatMap(([name, title]) => {
      const hard = new RegExp(`^Max ${title} +\\S+ +(\\d+)`, 'm').exec(text)?.[1];
      return hard === undefined ? [] : [[name, Number(hard)]];
    }),
  );
}
