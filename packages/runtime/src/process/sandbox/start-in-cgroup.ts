import { closeSync } from 'node:fs';
import type { Cgroup } from './cgroup/resource-limits.ts';
import { firstFile, type Program, type ProgramOptions, startProgram } from './start-program.ts';

const shell = '/bin/sh';

/**
 * Starts a program that is in a cell before it does anything. A shell goes in first and becomes the program: a process of
 * Node's own could only go in with all its threads, whose memory would then be charged to the run.
 *
 * `argumentsFor` gives the program's arguments, with the descriptor that the first of `options.files` has.
 */
export function startInCgroup(
  cell: Cgroup | undefined,
  file: string,
  argumentsFor: (firstDescriptor: number) => readonly string[],
  options: ProgramOptions & { files: readonly number[] },
): Program {
  if (cell === undefined) return startProgram(file, argumentsFor(firstFile), options);
  const entryFiles = cell.openEntryFiles();
  try {
    const script = enterAndBecome(entryFiles.map((_, index) => firstFile + index));
    const args = ['-c', script, 'sh', file, ...argumentsFor(firstFile + entryFiles.length)];
    return startProgram(shell, args, { ...options, files: [...entryFiles, ...options.files] });
  } finally {
    for (const file of entryFiles) closeSync(file);
  }
}

/** Nothing stands in it but descriptors of our own; the program and its arguments are the shell's. */
function enterAndBecome(descriptors: readonly number[]): string {
  const enter = descriptors.map((descriptor) => `echo 0 >&${descriptor}`);
  const close = descriptors.map((descriptor) => `${descriptor}>&-`);
  return [...enter, `exec "$@" ${close.join(' ')}`].join(' && ');
}
