import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the accounts of one machine are, and what their files are called. */
export interface CgroupLayout {
  name: 'cgroup v1' | 'cgroup v2';
  /** The folders in which a folder is made for each run: one for each controller under v1, a single one under v2. */
  parents: { memory: string; processes: string; cpu: string };
  files: {
    memoryMax: string;
    /** Limits memory and swap together. Absent under v2, which limits swap by itself. */
    memoryAndSwapMax?: string;
    /** Limits the kernel's buffers of IP sockets, which only v2 counts as memory. Absent under v2. */
    socketMemoryMax?: string;
    memoryPeak: string;
    memoryEvents: string;
    cpuUsage: string;
    /** Takes a process in. */
    entry: string;
  };
  /** Further settings of a run's memory, where the file is there: without swap, and killed as a whole. */
  alsoMemory: Readonly<Record<string, string>>;
  cpuMs(text: string): number | null;
  /** Whether the peak of memory begins anew when 0 is written to it. */
  peakCanBeReset: boolean;
}

const filesV1 = {
  memoryMax: 'memory.limit_in_bytes',
  memoryAndSwapMax: 'memory.memsw.limit_in_bytes',
  // UDP and others too, in spite of its name.
  socketMemoryMax: 'memory.kmem.tcp.limit_in_bytes',
  memoryPeak: 'memory.max_usage_in_bytes',
  memoryEvents: 'memory.oom_control',
  cpuUsage: 'cpuacct.usage',
  // A thread alone, which the kernel takes in at once: what comes in here has only one.
  entry: 'tasks',
};
const filesV2 = {
  memoryMax: 'memory.max',
  memoryPeak: 'memory.peak',
  memoryEvents: 'memory.events',
  cpuUsage: 'cpu.stat',
  entry: 'cgroup.procs',
};

/** One line of `/proc/self/mountinfo` that is a cgroup hierarchy. */
interface Hierarchy {
  type: 'cgroup' | 'cgroup2';
  /** The folder of the hierarchy that is mounted, and where. */
  root: string;
  mountPoint: string;
  options: readonly string[];
}

/**
 * The layouts that this machine might offer, best first, from the text of `/proc/self/mountinfo` and
 * `/proc/self/cgroup`. Whether one can be written is for the caller to find out.
 */
export function cgroupLayouts(mountInfo: string, ownCgroups: string): CgroupLayout[] {
  const hierarchies = mountInfo.split('\n').flatMap(hierarchy);
  const unified = hierarchies.find(({ type }) => type === 'cgroup2');
  const own = (controller: string): string | undefined => ownPath(ownCgroups, controller);
  const layouts: CgroupLayout[] = [];

  const unifiedPath = own('');
  if (unified !== undefined && unifiedPath !== undefined) {
    const place = placeOf(unified, unifiedPath);
    layouts.push({
      name: 'cgroup v2',
      parents: { memory: place, processes: place, cpu: place },
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
    return found === undefined || path === undefined ? undefined : placeOf(found, path);
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

/** `cgroupLayouts` of the machine that this runs on; none where there is no `/proc`. */
export function machineLayouts(): CgroupLayout[] {
  try {
    return cgroupLayouts(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    );
  } catch {
    return [];
  }
}

function hierarchy(line: string): Hierarchy[] {
  const [left = '', right = ''] = line.split(' - ');
  const [type = '', , options = ''] = right.split(' ');
  const [, , , root = '/', mountPoint = ''] = left.split(' ');
  if (type !== 'cgroup' && type !== 'cgroup2') return [];
  return [{ type, root, mountPoint, options: options.split(',') }];
}

/** The own path in the hierarchy of a controller; `''` names the unified one. */
function ownPath(ownCgroups: string, controller: string): string | undefined {
  for (const line of ownCgroups.split('\n')) {
    const [, controllers = '', path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path !== undefined && controllers.split(',').includes(controller)) return path;
  }
  return undefined;
}

function placeOf({ root, mountPoint }: Hierarchy, path: string): string {
  return join(mountPoint, root === '/' ? path : path.slice(root.length));
}
