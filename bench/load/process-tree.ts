import { readdirSync, readFileSync } from 'node:fs';

/** The memory of a process and of those that it has started: their share (PSS), so that what is shared counts once. */
export interface TreeMemory {
  ownMegabytes: number;
  belowMegabytes: number;
  /** How many processes are below it. */
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

/** Processor time so far, of a process with all its threads, and of all below it, those too that have ended. */
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

/** Its own, and that of those that it has waited for. */
function cpuMsOf(pid: number): [own: number, reaped: number] {
  const ticks = statOf(pid).slice(11, 15).map(Number);
  const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = ticks;
  return [(user + system) * msPerTick, (reapedUser + reapedSystem) * msPerTick];
}

/** From the state on: the name before it can hold anything. */
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
    // Of a process that has ended by now.
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
