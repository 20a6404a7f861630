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
import { killIfThere } from '../kill-if-there.ts';
import { until } from '../until.ts';
import { type CgroupLayout, machineLayouts } from './cgroup-layout.ts';
import type { Cgroup, ResourceLimits } from './resource-limits.ts';

const controllersV2 = '+memory +pids +cpu';

/**
 * The kernel's own accounts, where this process may write them: version 2 when its subtree is delegated to us, else
 * version 1. `undefined` where neither is; `ambit doctor` then says so.
 *
 * Files of cgroups are read and written in place, blocking: they are memory of the kernel's, and one takes
 * microseconds.
 */
export function cgroupLimits(
  layouts: readonly CgroupLayout[] = machineLayouts(),
): ResourceLimits | undefined {
  for (const layout of layouts) {
    const parents = prepare(layout);
    if (parents !== undefined) return ceilings(layout, parents);
  }
  return undefined;
}

/** Makes this daemon's own folder in each hierarchy; `undefined` when it may not, or a controller is missing. */
function prepare(layout: CgroupLayout): CgroupLayout['parents'] | undefined {
  const made: string[] = [];
  const name = `${ownPrefix()}${process.pid}-${randomBytes(4).toString('hex')}`;
  const own = (parent: string): string => {
    const folder = join(parent, name);
    if (!made.includes(folder)) {
      sweep(parent);
      // Not recursively: where nothing can be made, as in /proc, Node would try for ever.
      mkdirSync(folder);
      made.push(folder);
    }
    return folder;
  };
  try {
    const { memory, processes, cpu } = layout.parents;
    const parents = { memory: own(memory), processes: own(processes), cpu: own(cpu) };
    if (layout.name === 'cgroup v2') delegate(memory, parents.memory);
    return parents;
  } catch {
    // Not ours to write: the next layout, or none. What was made on the way is taken back.
    if (layout.name === 'cgroup v2') undelegate(layout.parents.memory, made);
    for (const folder of made) remove(folder);
    return undefined;
  }
}

/**
 * `ambit-`, then the pid namespace: a process id of another one says nothing about who is alive there. What follows in
 * a name is the process, and something that keeps two of one process apart.
 */
function ownPrefix(): string {
  return `ambit-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'}-`;
}

/**
 * Under version 2 a folder with processes of its own cannot pass controllers on, so that this process first moves into
 * a leaf beside the runs.
 */
function delegate(parent: string, own: string): void {
  const leaf = join(own, 'daemon');
  mkdirSync(leaf);
  writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid));
  for (const folder of [parent, own]) writeFileSync(join(folder, 'cgroup.subtree_control'), controllersV2);
}

/** Back to where the daemon came from: its leaf cannot be taken away with it inside. */
function undelegate(parent: string, made: readonly string[]): void {
  for (const folder of made) {
    const leaf = join(folder, 'daemon');
    if (!existsSync(leaf)) continue;
    try {
      writeFileSync(join(parent, 'cgroup.procs'), String(process.pid));
    } catch {
      // It stays where it is then, which bounds nothing.
    }
    remove(leaf);
  }
}

/** Ends and takes away what daemons that were killed have left. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(ownPrefix()) ? /^\d+/.exec(name.slice(ownPrefix().length))?.[0] : undefined;
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    sweepFolder(join(parent, name));
  }
}

function sweepFolder(folder: string): void {
  try {
    const runs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const run of runs) kill(join(folder, run.name));
    // What has just been killed may take a moment to leave; the next start takes away what stays now.
    for (const run of runs) remove(join(folder, run.name));
    remove(folder);
  } catch {
    // Somebody else sweeps here as well.
  }
}

function ceilings(layout: CgroupLayout, parents: CgroupLayout['parents']): ResourceLimits {
  let count = 0;
  const folders = [...new Set(Object.values(parents))];
  return {
    name: layout.name,
    open(bounds) {
      const name = `run-${++count}`;
      try {
        for (const folder of folders) mkdirSync(join(folder, name));
      } catch (error) {
        throw new SkillError('SANDBOX_UNAVAILABLE', 'the cgroup of this daemon is gone; start it anew', {
          cause: error,
        });
      }
      return cell(layout, parents, name, bounds);
    },
    close() {
      for (const folder of folders) remove(folder);
    },
  };
}

/** How much of its memory limit a run may have in socket buffers besides, where they are counted apart. */
const socketShare = 0.25;

/** More than what has been killed needs to be gone. */
const leaveMs = 1000;

function cell(
  layout: CgroupLayout,
  parents: CgroupLayout['parents'],
  name: string,
  { memoryBytes, processes }: Parameters<ResourceLimits['open']>[0],
): Cgroup {
  const places = [...new Set(Object.values(parents))].map((folder) => join(folder, name));
  const memory = join(parents.memory, name);
  const write = (folder: string, file: string, value: number | string): void =>
    writeFileSync(join(folder, file), String(value));
  const writeIfThere = (file: string | undefined, value: number | string): void => {
    if (file !== undefined && existsSync(join(memory, file))) write(memory, file, value);
  };
  let cpuMsBefore = 0;
  const cpuUsage = heldText(join(parents.cpu, name, layout.files.cpuUsage));
  const cpuMs = (): number | null => {
    const text = cpuUsage.read();
    const total = text === undefined ? null : layout.cpuMs(text);
    return total === null ? null : total - cpuMsBefore;
  };
  return {
    openEntryFiles: () => places.map((place) => openSync(join(place, layout.files.entry), 'w')),
    bind() {
      // bubblewrap's own two processes: the one outside and the first inside.
      write(join(parents.processes, name), 'pids.max', processes + 2);
      const { memoryAndSwapMax, socketMemoryMax } = layout.files;
      for (const [file, value] of Object.entries(layout.alsoMemory)) writeIfThere(file, value);
      writeIfThere(socketMemoryMax, Math.floor(memoryBytes * socketShare));
      try {
        write(memory, layout.files.memoryMax, memoryBytes);
        // Written last: the kernel refuses a value below the memory limit. Kernels without swap accounting lack the file.
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
      for (const place of places) {
        // The last processes of a run may still be on their way out; they have been killed and leave within moments.
        if (await until(() => remove(place), leaveMs)) continue;
        kill(place);
        await until(() => remove(place), leaveMs);
      }
    },
  };
}

/** Nothing is in a run's place but the run. */
function kill(place: string): void {
  for (const pid of (read(join(place, 'cgroup.procs')) ?? '').split('\n')) {
    if (pid !== '') killIfThere(Number(pid));
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

/** A short file of the kernel's that is read again and again: opened once, when it is first asked for. */
function heldText(file: string): { read(): string | undefined; close(): void } {
  const buffer = Buffer.alloc(4096);
  let held: number | undefined;
  return {
    read() {
      try {
        held ??= openSync(file, 'r');
        return buffer.toString('latin1', 0, readSync(held, buffer, 0, buffer.length, 0));
      } catch {
        return undefined;
      }
    },
    close() {
      if (held !== undefined) closeSync(held);
      held = undefined;
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
