import { readdirSync, readFileSync } from 'node:fs';

/**
 * The memory of a process and its descendants, as proportional set size (PSS), which counts shared
 * memory once.
 */
export interface TreeMemory {
  ownMegabytes: number;
  belowMegabytes: number;
  /** Number of descendants. */
  below: number;
}

export function treeMemory(pid: number): TreeMemory {
  const below = descendants(pid);
  return {
    ownMegabytes: pssMegabytesOf(pid),
    belowMegabytes: sum(below.map(pssMegabytesOf)),
    below: below.length,
  };
}

/** `/proc` counts in hundredths of a second. */
const msPerTick = 10;

/**
 * CPU time so far of a process with its threads, and of its descendants, also of ended ones.
 */
export function treeCpuMs(pid: number): { own: number; below: number } {
  const [own, reaped] = cpuMsOf(pid);
  return { own, below: reaped + sum(descendants(pid).flatMap(cpuMsOf)) };
}

function descendants(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((each) => [Number(each), Number(statOf(Number(each))[1])]));
  const found: number[] = [];
  const look = (from: number): void => {
    for (const [child, parent] of parents)
      if (parent === from) {
        found.push(child);
        look(child);
      }
  };
  look(pid);
  return found;
}

/** Its own time, and the time of the children that it has waited for. */
function cpuMsOf(pid: number): [own: number, reaped: number] {
  const ticks = statOf(pid).slice(11, 15).map(Number);
  const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = ticks;
  return [(user + system) * msPerTick, (reapedUser + reapedSystem) * msPerTick];
}

/** The fields from the state on; the name before it may contain any character. */
function statOf(pid: number): string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function pssMegabytesOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1000;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
