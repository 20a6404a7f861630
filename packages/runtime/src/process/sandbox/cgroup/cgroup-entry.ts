import { closeSync } from 'node:fs';
import { firstFile } from '../../../spawn/start-program.ts';
import type { Cgroup } from './resource-limits.ts';

/** The way a shell enters a cgroup and then becomes a program. The program is in the cgroup before it does anything. */
export interface CgroupEntry {
  /**
   * Its script, for the program and its arguments as the shell's own arguments. Contains only Ambit's
   * own descriptors.
   */
  script: string;
  /** Files to pass before the caller's own. None without a cgroup: no shell is needed. */
  files: readonly number[];
  /** The descriptor of the caller's first own file. */
  firstAfter: number;
  /** Closes `files`; call it when the shell has inherited them. */
  close(): void;
}

/**
 * The entry of a cgroup. A process forked from Node would join with all its threads, and their memory
 * would be charged to the run.
 */
export function cgroupEntry(cgroup: Cgroup | undefined): CgroupEntry {
  const files = cgroup?.openEntryFiles() ?? [];
  const descriptors = files.map((_, index) => firstFile + index);
  const enter = descriptors.map((descriptor) => `echo 0 >&${descriptor} && `);
  const close = descriptors.map((descriptor) => ` ${descriptor}>&-`);
  return {
    script: `${enter.join('')}exec "$@"${close.join('')}`,
    files,
    firstAfter: firstFile + files.length,
    close() {
      for (const file of files) closeSync(file);
    },
  };
}
