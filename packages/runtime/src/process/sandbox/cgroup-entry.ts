import { closeSync } from 'node:fs';
import type { Cgroup } from './cgroup/resource-limits.ts';
import { firstFile } from './start-program.ts';

const shell = '/bin/sh';

/** How a program is started so that it is in a cgroup before it does anything. */
export interface CgroupEntry {
  /** The program to start instead. */
  file: string;
  /** Its arguments; `argumentsFor` gets the descriptor of the first of the caller's own files. */
  args(argumentsFor: (firstDescriptor: number) => readonly string[]): readonly string[];
  /** Files to pass before the caller's own. */
  files: readonly number[];
  /** Closes `files`, once the program has them. */
  close(): void;
}

/**
 * Starts `file` in a cgroup: a shell enters the cgroup and becomes the program. A process of Node's own could only enter with
 * all its threads, and their memory would be charged to the run. Without a cgroup, `file` is started directly.
 */
export function cgroupEntry(cgroup: Cgroup | undefined, file: string): CgroupEntry {
  if (cgroup === undefined)
    return { file, args: (argumentsFor) => argumentsFor(firstFile), files: [], close: () => undefined };
  const files = cgroup.openEntryFiles();
  const script = enterAndBecome(files.map((_, index) => firstFile + index));
  return {
    file: shell,
    args: (argumentsFor) => ['-c', script, 'sh', file, ...argumentsFor(firstFile + files.length)],
    files,
    close() {
      for (const entry of files) closeSync(entry);
    },
  };
}

/** The script has only our own descriptors in it; the program and its arguments are the shell's arguments. */
function enterAndBecome(descriptors: readonly number[]): string {
  const enter = descriptors.map((descriptor) => `echo 0 >&${descriptor}`);
  const close = descriptors.map((descriptor) => `${descriptor}>&-`);
  return [...enter, `exec "$@" ${close.join(' ')}`].join(' && ');
}
