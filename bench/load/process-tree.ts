import { readdirSync, readFileSync } from 'node:fs';

/** What a process and those that it has started take of the machine. */
export interface TreeUse {
  /** Processor time so far, threads and all; those that have ended do not count. */
  own: { cpuMs: number; pssMegabytes: number };
  /** Of all below it. */
  below: { cpuMs: number; pssMegabytes: number; processes: number };
}

/** `/proc` counts in hundredths of a second. */
const msPerTick = 10;

/** Looks at a process and all below it; memory is its share (PSS), so that what is shared counts once. */
export function treeUse(pid: number): TreeUse {
  const below = descendants(pid);
  return {
    own: { cpuMs: cpuMsOf(pid), pssMegabytes: pssMegabytesOf(pid) },
    below: {
      cpuMs: sum(below.map(cpuMsOf)),
      pssMegabytes: sum(below.map(pssMegabytesOf)),
      processes: below.length,
    },
  };
}

/** Without the memory, which takes the kernel long to count. */
export function treeCpuMs(pid: number): { own: number; below: number } {
  return { own: cpuMsOf(pid), below: sum(descendants(pid).map(cpuMsOf)) };
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

function cpuMsOf(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * msPerTick;
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
