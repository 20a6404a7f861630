import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Limits that only root can set. */
export interface Limits {
  /** Words before a command, which it and its children then start with at most so many threads. Absent: not possible here. */
  fewProcesses?: ((count: number) => readonly string[]) | undefined;
  /** Whether the data directory is a small disk of its own. */
  smallDisk: boolean;
  close(): void;
}

const diskSize = '64m';
const cgroups = '/sys/fs/cgroup/pids';

/** Mounts a small disk at `dataDir`, which is created, and makes a cgroup for `fewProcesses`. */
export function setLimits(dataDir: string): Limits {
  mkdirSync(dataDir, { mode: 0o700 });
  const smallDisk = isDone(() =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize},mode=700`, 'ambit-kills', dataDir], {
      stdio: 'ignore',
    }),
  );
  const cgroup = join(cgroups, `ambit-kills-${process.pid}`);
  const hasCgroup = isDone(() => {
    mkdirSync(cgroup);
    writeFileSync(join(cgroup, 'pids.max'), 'max');
  });
  const fewProcesses = (count: number): readonly string[] => {
    writeFileSync(join(cgroup, 'pids.max'), String(count));
    return ['sh', '-c', `echo $$ > ${join(cgroup, 'cgroup.procs')} && exec "$0" "$@"`];
  };
  return {
    fewProcesses: hasCgroup ? fewProcesses : undefined,
    smallDisk,
    close() {
      if (hasCgroup) isDone(() => rmdirSync(cgroup));
      if (smallDisk) execFileSync('umount', [dataDir]);
    },
  };
}

function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
