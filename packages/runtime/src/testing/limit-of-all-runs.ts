import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupLayouts } from '../process/sandbox/cgroup/cgroup-layout.ts';

/** The memory that the kernel allows all runs of a daemon together, in bytes; `undefined`: it has no cgroup. */
export async function limitOfAllRuns(pid: number): Promise<number | undefined> {
  for (const { parents, files } of cgroupLayouts()) {
    const names = await readdir(parents.memory).catch(() => []);
    const own = names.find((name) => name.startsWith('ambit-') && name.includes(`-${pid}-`));
    if (own === undefined) continue;
    // In version 2, runs have a folder beside the daemon's.
    const places = ['runs', ''].map((folder) => join(parents.memory, own, folder, files.memoryMax));
    const place = places.find((each) => existsSync(each));
    if (place !== undefined) return Number(await readFile(place, 'utf8'));
  }
  return undefined;
}
