import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { killProcess } from '../../../spawn/kill-process.ts';
import { until } from '../../../spawn/until.ts';
import { type CgroupLayout, cgroupLayouts } from './cgroup-layout.ts';
import type { Cgroup, ResourceLimits } from './resource-limits.ts';

const controllersV2 = '+memory +pids +cpu';

/** A file of version 1: whether the limit of a folder holds for the folders in it. */
const hierarchyFile = 'memory.use_hierarchy';

/**
 * Resource limits through cgroups: version 2 if its subtree is delegated to this process, otherwise
 * version 1. `undefined` if neither is writable; `ambit doctor` reports that.
 *
 * Cgroup files are kernel memory and take microseconds, so they are read and written synchronously.
 */
export function cgroupLimits(layouts: readonly CgroupLayout[] = cgroupLayouts()): ResourceLimits | undefined {
  for (const layout of layouts) {
    const parents = prepare(layout);
    if (parents !== undefined) return limitsIn(layout, parents);
  }
  return undefined;
}

/**
 * Creates this daemon's folder in each hierarchy; `undefined` if it may not, or a controller is
 * missing.
 */
function prepare(layout: CgroupLayout): CgroupLayout['parents'] | undefined {
  const made: string[] = [];
  const name = `${ownPrefix()}${process.pid}-${randomBytes(4).toString('hex')}`;
  const own = (parent: string): string => {
    const folder = join(parent, name);
    if (!made.includes(folder)) {
      sweep(parent);
      // Not recursive: where nothing can be created, as in /proc, Node would retry forever.
      mkdirSync(folder);
      made.push(folder);
    }
    return folder;
  };
  try {
    const { memory, processes, cpu } = layout.parents;
    const parents = { memory: own(memory), processes: own(processes), cpu: own(cpu) };
    if (layout.name === 'cgroup v1') return inheritLimits(parents);
    const runs = delegate(memory, parents.memory);
    return { memory: runs, processes: runs, cpu: runs };
  } catch {
    // Not writable: undo, and let the caller try the next layout.
    if (layout.name === 'cgroup v2') undelegate(layout.parents.memory, made);
    for (const folder of made) remove(folder);
    return undefined;
  }
}

/**
 * `ambit-` and the pid namespace: a process id of another namespace does not show which processes
 * are alive there. The rest of a name is the process id and a random part that distinguishes two
 * folders of one process.
 */
function ownPrefix(): string {
  return `ambit-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'}-`;
}

/**
 * In version 2, a folder that contains processes cannot delegate controllers. This process
 * therefore first moves into a leaf beside the folder of the runs, which it returns.
 */
function delegate(parent: string, own: string): string {
  const [leaf, runs] = [join(own, 'daemon'), join(own, 'runs')];
  mkdirSync(leaf);
  mkdirSync(runs);
  writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid));
  for (const folder of [parent, own, runs])
    writeFileSync(join(folder, 'cgroup.subtree_control'), controllersV2);
  return runs;
}

/** In version 1, the limit of a folder holds for the folders in it only after this write, before it has any. */
function inheritLimits(parents: CgroupLayout['parents']): CgroupLayout['parents'] {
  try {
    writeFileSync(join(parents.memory, hierarchyFile), '1');
  } catch {
    // Newer kernels know no other way, and lack the file or refuse the write.
  }
  return parents;
}

/**
 * Moves the daemon back to where it was: its leaf cannot be removed while it contains a process.
 */
function undelegate(parent: string, made: readonly string[]): void {
  for (const folder of made) {
    const leaf = join(folder, 'daemon');
    remove(join(folder, 'runs'));
    if (!existsSync(leaf)) continue;
    try {
      writeFileSync(join(parent, 'cgroup.procs'), String(process.pid));
    } catch {
      // It stays in the leaf, which has no limits.
    }
    remove(leaf);
  }
}

/** Ends and removes what killed daemons have left. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(ownPrefix()) ? /^\d+/.exec(name.slice(ownPrefix().length))?.[0] : undefined;
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    sweepFolder(join(parent, name));
  }
}

function sweepFolder(folder: string): void {
  try {
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    kill(folder);
    for (const { name } of inner) sweepFolder(join(folder, name));
    // A killed process may take a moment to leave. The next start removes the remaining folders.
    remove(folder);
  } catch {
    // Another daemon may be cleaning up too.
  }
}

function limitsIn(layout: CgroupLayout, parents: CgroupLayout['parents']): ResourceLimits {
  let count = 0;
  const folders = [...new Set(Object.values(parents))];
  return {
    name: layout.name,
    open(bounds) {
      const name = `run-${++count}`;
      try {
        for (const folder of folders) mkdirSync(join(folder, name));
      } catch (error) {
        throw new SkillError('SANDBOX_UNAVAILABLE', "the daemon's cgroup was removed; restart the daemon", {
          cause: error,
        });
      }
      return cgroupIn(layout, parents, name, bounds);
    },
    limitAll(memoryBytes) {
      const { memory } = parents;
      // A kernel of version 1 that counts each folder alone says 0.
      if (read(join(memory, hierarchyFile))?.trim() === '0') return false;
      try {
        writeFileSync(join(memory, layout.files.memoryMax), String(memoryBytes));
        return true;
      } catch {
        // Running calls use more than a share that was lowered. New ones wait until they have ended.
        return false;
      }
    },
    close() {
      for (const folder of folders) remove(folder);
    },
  };
}

/**
 * The share of a run's memory limit that it may use for socket buffers in addition, where they are
 * counted separately.
 */
const socketShare = 0.25;

/** Ample time for a killed process to disappear. */
const leaveMs = 1000;

function cgroupIn(
  layout: CgroupLayout,
  parents: CgroupLayout['parents'],
  name: string,
  { memoryBytes, processes }: Parameters<ResourceLimits['open']>[0],
): Cgroup {
  const folders = [...new Set(Object.values(parents))].map((parent) => join(parent, name));
  const memory = join(parents.memory, name);
  const write = (folder: string, file: string, value: number | string): void =>
    writeFileSync(join(folder, file), String(value));
  const writeIfThere = (file: string | undefined, value: number | string): void => {
    if (file !== undefined && existsSync(join(memory, file))) write(memory, file, value);
  };
  let cpuMsBefore = 0;
  const cpuUsage = openText(join(parents.cpu, name, layout.files.cpuUsage));
  const cpuMs = (): number | null => {
    const text = cpuUsage.read();
    const total = text === undefined ? null : layout.cpuMs(text);
    return total === null ? null : total - cpuMsBefore;
  };
  return {
    openEntryFiles: () => folders.map((folder) => openSync(join(folder, layout.files.entry), 'w')),
    bind() {
      // Two more for bubblewrap: its outer process and its first process inside.
      write(join(parents.processes, name), 'pids.max', processes + 2);
      const { memoryAndSwapMax, socketMemoryMax } = layout.files;
      for (const [file, value] of Object.entries(layout.alsoMemory)) writeIfThere(file, value);
      writeIfThere(socketMemoryMax, Math.floor(memoryBytes * socketShare));
      try {
        write(memory, layout.files.memoryMax, memoryBytes);
        // Written last: the kernel refuses a value below the memory limit. Kernels without swap
        // accounting lack this file.
        writeIfThere(memoryAndSwapMax, memoryBytes);
        return 'bound';
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EBUSY') return 'exceeded';
        throw error;
      }
    },
    restart() {
      cpuMsBefore += cpuMs() ?? 0;
      if (layout.peakCanBeReset) write(memory, layout.files.memoryPeak, 0);
    },
    cpuMs,
    usage() {
      const peak = read(join(memory, layout.files.memoryPeak));
      const kills = /^oom_kill (\d+)$/m.exec(read(join(memory, layout.files.memoryEvents)) ?? '')?.[1];
      return {
        cpuMs: cpuMs(),
        memoryPeakBytes: peak === undefined ? null : Number(peak),
        outOfMemory: kills !== undefined && kills !== '0',
      };
    },
    async close() {
      cpuUsage.close();
      for (const folder of folders) {
        // The last processes of a run have been killed and leave within moments.
        if (await until(() => remove(folder), leaveMs)) continue;
        kill(folder);
        await until(() => remove(folder), leaveMs);
      }
    },
  };
}

/** A run's cgroup contains only its own processes. */
function kill(folder: string): void {
  for (const pid of (read(join(folder, 'cgroup.procs')) ?? '').split('\n')) {
    if (pid !== '') killProcess(Number(pid));
  }
}

function remove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** A short kernel file that is read repeatedly: opened at the first read and kept open. */
function openText(file: string): { read(): string | undefined; close(): void } {
  const buffer = Buffer.alloc(4096);
  let descriptor: number | undefined;
  return {
    read() {
      try {
        descriptor ??= openSync(file, 'r');
        return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
      } catch {
        return undefined;
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
