import type { Limits } from '@ambit/core';
import { hostProgram } from './host-program.ts';
import type { SandboxedCommand } from './sandbox/sandbox.ts';

/**
 * Bounds each process of a command by itself, where the kernel cannot be told to bound the run as a whole: memory that
 * it can write, processor time, processes of its user namespace, open files. They are set inside, because a bound on
 * processes that is set outside counts those of the daemon's own user.
 *
 * Throws `SANDBOX_UNAVAILABLE` where the host has no `prlimit` (util-linux).
 */
export function withRlimits(
  command: SandboxedCommand,
  { memoryBytes, cpuMs, processes }: Pick<Limits, 'memoryBytes' | 'cpuMs' | 'processes'>,
): SandboxedCommand {
  const prlimit = hostProgram('prlimit');
  const bounds = {
    // The whole address space would count what is only reserved, which some interpreters do by the gigabyte.
    data: memoryBytes,
    cpu: Math.max(1, Math.ceil(cpuMs / 1000)),
    // prlimit's own process becomes the program; bubblewrap's first one is the other.
    nproc: processes + 1,
    nofile: openFiles,
    core: 0,
  };
  return {
    ...command,
    argv: [
      prlimit.path,
      ...Object.entries(bounds).map(([name, value]) => `--${name}=${value}`),
      '--',
      ...command.argv,
    ],
    mounts: [...prlimit.mounts, ...command.mounts],
    links: { ...prlimit.links, ...command.links },
  };
}

/** As many as most systems give a login. */
const openFiles = 1024;
