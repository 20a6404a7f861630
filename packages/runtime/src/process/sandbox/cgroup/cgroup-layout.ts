import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The place of a machine's cgroups, and the names of their files. */
export interface CgroupLayout {
  name: 'cgroup v1' | 'cgroup v2';
  /** Each run gets a folder in these: one for each controller in v1, a single one in v2. */
  parents: { memory: string; processes: string; cpu: string };
  files: {
    memoryMax: string;
    /** Limits memory and swap together. Absent in v2, which limits swap separately. */
    memoryAndSwapMax?: string;
    /** Limits the kernel's buffers of IP sockets, which only v2 counts as memory. Absent in v2. */
    socketMemoryMax?: string;
    memoryPeak: string;
    memoryEvents: string;
    cpuUsage: string;
    /** A process that writes here joins the cgroup. */
    entry: string;
  };
  /** Further memory settings, where the file exists: no swap, and killed as a whole. */
  alsoMemory: Readonly<Record<string, string>>;
  cpuMs(text: string): number | null;
  /** Whether writing 0 resets the memory peak. */
  peakCanBeReset: boolean;
}

const filesV1 = {
  memoryMax: 'memory.limit_in_bytes',
  memoryAndSwapMax: 'memory.memsw.limit_in_bytes',
  // Includes UDP and others, despite its name.
  socketMemoryMax: 'memory.kmem.tcp.limit_in_bytes',
  memoryPeak: 'memory.max_usage_in_bytes',
  memoryEvents: 'memory.oom_control',
  cpuUsage: 'cpuacct.usage',
  // Moves a single thread, which the kernel does immediately: processes that join have only one.
  entry: 'tasks',
};
const filesV2 = {
  memoryMax: 'memory.max',
  memoryPeak: 'memory.peak',
  memoryEvents: 'memory.events',
  cpuUsage: 'cpu.stat',
  entry: 'cgroup.procs',
};

/** A line of `/proc/self/mountinfo` that describes a cgroup hierarchy. */
interface Hierarchy {
  type: 'cgroup' | 'cgroup2';
  /** The mounted folder of the hierarchy, and the mount point. */
  root: string;
  mountPoint: string;
  options: readonly string[];
}

/**
 * Possible layouts on this machine, best first, from the text of `/proc/self/mountinfo` and
 * `/proc/self/cgroup`; none without `/proc`. The caller checks whether one is writable.
 */
export function cgroupLayouts(
  mountInfo = ownText('mountinfo'),
  ownCgroups = ownText('cgroup'),
): CgroupLayout[] {
  const hierarchies = mountInfo.split('\n').flatMap(hierarchy);
  const unified = hierarchies.find(({ type }) => type === 'cgroup2');
  const own = (controller: string): string | undefined => ownPath(ownCgroups, controller);
  const layouts: CgroupLayout[] = [];

  const unifiedPath = own('');
  if (unified !== undefined && unifiedPath !== undefined) {
    const folder = folderOf(unified, unifiedPath);
    layouts.push({
      name: 'cgroup v2',
      parents: { memory: folder, processes: folder, cpu: folder },
      files: filesV2,
      alsoMemory: { 'memory.swap.max': '0', 'memory.oom.group': '1' },
      cpuMs: (text) => {
        const micros = /^usage_usec (\d+)$/m.exec(text)?.[1];
        return micros === undefined ? null : Number(micros) / 1e3;
      },
      peakCanBeReset: false,
    });
  }

  const controller = (name: string): string | undefined => {
    const found = hierarchies.find(({ type, options }) => type === 'cgroup' && options.includes(name));
    const path = own(name);
    return found === undefined || path === undefined ? undefined : folderOf(found, path);
  };
  const [memory, processes, cpu] = [controller('memory'), controller('pids'), controller('cpuacct')];
  if (memory !== undefined && processes !== undefined && cpu !== undefined) {
    layouts.push({
      name: 'cgroup v1',
      parents: { memory, processes, cpu },
      files: filesV1,
      alsoMemory: {},
      cpuMs: (text) => (/^\d+$/.test(text.trim()) ? Number(text) / 1e6 : null),
      peakCanBeReset: true,
    });
  }
  return layouts;
}

function ownText(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function hierarchy(line: string): Hierarchy[] {
  const [left = '', right = ''] = line.split(' - ');
  const [type = '', , options = ''] = right.split(' ');
  const [, , , root = '/', mountPoint = ''] = left.split(' ');
  if (type !== 'cgroup' && type !== 'cgroup2') return [];
  return [{ type, root, mountPoint, options: options.split(',') }];
}

/** This process's path in the hierarchy of a controller; `''` names the unified one. */
function ownPath(ownCgroups: string, controller: string): string | undefined {
  for (const line of ownCgroups.split('\n')) {
    const [, controllers = '', path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path !== undefined && controllers.split(',').includes(controller)) return path;
  }
  return undefined;
}

function folderOf({ root, mountPoint }: Hierarchy, path: string): string {
  return join(mountPoint, root === '/' ? path : path.slice(root.length));
}
