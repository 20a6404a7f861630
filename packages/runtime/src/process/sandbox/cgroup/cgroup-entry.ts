import { closeSync } from 'node:fs';
import { firstFile } from '../../spawn/start-program.ts';
import type { Cgroup } from './resource-limits.ts';

const shell = '/bin/sh';

/** How to start a program so that it is in a cgroup before it does anything. */
export interface CgroupEntry {
  /** The program to start instead. */
  file: string;
  /** Its arguments. `argumentsFor` gets the descriptor of the first of the caller's own files. */
  args(argumentsFor: (firstDescriptor: number) => readonly string[]): readonly string[];
  /** Files to pass before the caller's own. */
  files: readonly number[];
  /** Closes `files`; call it when the program has inherited them. */
  close(): void;
}

/**
 * Starts `file` in a cgroup: a shell joins the cgroup and becomes the program. A process forked
 * from Node would join with all its threads, and their memory would be charged to the run. Without
 * a cgroup, `file` starts directly.
 */
export function cgroupEntry(cgroup: Cgroup | undefined, file: string): CgroupEntry {
  if (cgroup === undefined)
    return { file, args: (argumentsFor) => argumentsFor(firstFile), files: [], close: () => undefined };
  const files = cgroup.openEntryFiles();
  const script = enterScript(files.map((_, index) => firstFile + index));
  return {
    file: shell,
    args: (argumentsFor) => ['-c', script, 'sh', file, ...argumentsFor(firstFile + files.length)],
    files,
    close() {
      for (const entry of files) closeSync(entry);
    },
  };
}

/**
 * Contains only Ambit's own descriptors; the program and its arguments are the shell's arguments.
 */
function enterScript(descriptors: readonly number[]): string {
  const enter = descriptors.map((descriptor) => `echo 0 >&${descriptor}`);
  const close = descriptors.map((descriptor) => `${descriptor}>&-`);
  return [...enter, `exec "$@" ${close.join(' ')}`].join(' && ');
}
