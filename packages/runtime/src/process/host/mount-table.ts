import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { liesWithin } from '@ambit/core/policy';

/** A mount of this process's namespace. */
export interface HostMount {
  id: string;
  /** The mount that it is made on. */
  parent: string;
  /** `major:minor` of its file system. */
  device: string;
  /** The folder of that file system that is mounted. */
  root: string;
  /** The path where it is mounted. */
  point: string;
  type: string;
}

/** The mounts of this process (proc_pid_mountinfo(5)). */
export async function mountTable(): Promise<HostMount[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return text.split('\n').flatMap((line) => {
    const [id, parent, device, root, point, ...rest] = line.split(' ');
    const type = rest[rest.indexOf('-') + 1];
    if (id === undefined || parent === undefined || device === undefined) return [];
    if (root === undefined || point === undefined || type === undefined) return [];
    return [{ id, parent, device, root: unescaped(root), point: unescaped(point), type }];
  });
}

/** The mount that shows a path. A later mount on a folder above covers earlier ones below, so this walks as the kernel does. */
function mountOf(path: string, mounts: readonly HostMount[]): HostMount | undefined {
  const ids = new Set(mounts.map(({ id }) => id));
  const visited = new Set<HostMount>();
  let own = mounts.find(({ id, point, parent }) => point === '/' && (id === parent || !ids.has(parent)));
  for (let next = own; next !== undefined; ) {
    own = next;
    visited.add(next);
    next = mounts
      .filter((mount) => mount.parent === own?.id && !visited.has(mount) && liesWithin(path, mount.point))
      .reduce<HostMount | undefined>(
        (first, mount) => (first === undefined || mount.point.length < first.point.length ? mount : first),
        undefined,
      );
  }
  return own;
}

/** A path to a file or folder, or to a part of it. */
interface OtherPath {
  path: string;
  isPart: boolean;
}

/**
 * Every other path by which the mounts show a real path or a part of it: where its file system is mounted again. Some may be
 * hidden below other mounts.
 */
export function otherPathsTo(path: string, mounts: readonly HostMount[]): OtherPath[] {
  const own = mountOf(path, mounts);
  if (own === undefined) return [];
  const inFileSystem = join(own.root, relative(own.point, path));
  return mounts.flatMap(({ device, root, point }): OtherPath[] => {
    if (device !== own.device) return [];
    const isPart = !liesWithin(inFileSystem, root);
    if (isPart) return liesWithin(root, inFileSystem) ? [{ path: point, isPart }] : [];
    return [{ path: join(point, relative(root, inFileSystem)), isPart }];
  });
}

/** The types of the kernel's own file systems, which show its state and store no files. */
const kernelFileSystems = new Set([
  'proc',
  'sysfs',
  'cgroup',
  'cgroup2',
  'devtmpfs',
  'devpts',
  'debugfs',
  'tracefs',
  'securityfs',
  'bpf',
  'configfs',
  'efivarfs',
  'pstore',
  'fusectl',
  'mqueue',
  'binfmt_misc',
  'nsfs',
]);

/**
 * Further mounts of the kernel's file systems, outside the folders that every sandbox replaces. They show the host's
 * processes and limits.
 */
export function kernelMounts(mounts: readonly HostMount[]): string[] {
  return mounts
    .filter(({ type, point }) => kernelFileSystems.has(type) && !/^\/(?:proc|sys|dev)(?:\/|$)/.test(point))
    .map(({ point }) => point);
}

/** A space, tab, line break or backslash is written as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
