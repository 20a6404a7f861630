import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The resources that this process holds: everything that calls could leave behind. */
export interface Footprint {
  /** Open files of this process. */
  descriptors: number;
  /** Processes of the host with the marker in their command or mounts. */
  processes: number;
  /** Files and folders below the temporary folder of this process. */
  temporaryFiles: number;
  /** Folders of this process in every cgroup hierarchy, and folders of runs in them. */
  cgroups: number;
  /** Mounts that this process sees. */
  mounts: number;
  heapMiB: number;
  residentMiB: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** `marker` is a text in the paths of every skill. */
export function footprint(marker: string, temporaryFolder: string): Footprint {
  collectGarbage();
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    processes: processesWith(marker),
    temporaryFiles: readdirSync(temporaryFolder, { recursive: true }).length,
    cgroups: ownCgroups(),
    mounts: lines('/proc/self/mountinfo').length,
    heapMiB: heapUsed / 1024 / 1024,
    residentMiB: rss / 1024 / 1024,
  };
}

/** Also searches mounts: the command of a program that a skill started does not name the skill. */
function processesWith(marker: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) =>
    ['cmdline', 'mountinfo'].some((file) => textOf(`/proc/${pid}/${file}`).includes(marker)),
  ).length;
}

function ownCgroups(): number {
  const hierarchies = lines('/proc/self/mountinfo')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
  const folders = new Set(hierarchies.flatMap(ownFolders));
  return [...folders].reduce((count, folder) => count + 1 + subfolders(folder).length, 0);
}

/** Folders with this process's id in their names. */
function ownFolders(below: string): string[] {
  return subfolders(below).flatMap((folder) => {
    const words = folder.split('-');
    const own = words[0] === 'ambit' && words.includes(String(process.pid));
    return own ? [join(below, folder)] : ownFolders(join(below, folder));
  });
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    // Another process's folder, deleted since.
    return [];
  }
}

function lines(file: string): string[] {
  return textOf(file).split('\n').slice(0, -1);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
