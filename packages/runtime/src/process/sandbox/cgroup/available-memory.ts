import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type CgroupLayout, cgroupLayouts } from './cgroup-layout.ts';

/** The memory that this process and all that it starts can use: of the machine, or of a cgroup around it if that is less. */
export function availableMemoryBytes(layouts: readonly CgroupLayout[] = cgroupLayouts()): number {
  return Math.min(totalmem(), ...layouts.flatMap(limitsAround));
}

/** The limits of the process's own cgroup and of each cgroup around it. */
function limitsAround({ parents, files }: CgroupLayout): number[] {
  const limits: number[] = [];
  for (let folder = parents.memory; folder !== dirname(folder); folder = dirname(folder)) {
    const limit = Number.parseInt(textIn(join(folder, files.memoryMax)) ?? '', 10);
    // "max" is no number.
    if (limit > 0) limits.push(limit);
  }
  return limits;
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
