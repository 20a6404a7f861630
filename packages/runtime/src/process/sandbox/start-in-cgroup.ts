import { closeSync } from 'node:fs';
import type { Cgroup } from './cgroup/resource-limits.ts';
import { firstFile, type Program, type ProgramOptions, startProgram } from './start-program.ts';

const shell = '/bin/sh';

/**
 * Starts a program that is in a cgroup before it does anything. A shell joins the cgroup and then
 * becomes the program: a process forked from Node would join with all its threads, and their memory
 * would be charged to the run.
 *
 * `argumentsFor` returns the program's arguments, given the descriptor of the first of
 * `options.files`.
 */
export function startInCgroup(
  cgroup: Cgroup | undefined,
  file: string,
  argumentsFor: (firstDescriptor: number) => readonly string[],
  options: ProgramOptions & { files: readonly number[] },
): Program {
  if (cgroup === undefined) return startProgram(file, argumentsFor(firstFile), options);
  const entryFiles = cgroup.openEntryFiles();
  try {
    const script = enterScript(entryFiles.map((_, index) => firstFile + index));
    const args = ['-c', script, 'sh', file, ...argumentsFor(firstFile + entryFiles.length)];
    return startProgram(shell, args, { ...options, files: [...entryFiles, ...options.files] });
  } finally {
    for (const file of entryFiles) closeSync(file);
  }
}

/**
 * Contains only Ambit's own descriptors; the program and its arguments are the shell's arguments.
 */
function enterScript(descriptors: readonly number[]): string {
  const enter = descriptors.map((descriptor) => `echo 0 >&${descriptor}`);
  const close = descriptors.map((descriptor) => `${descriptor}>&-`);
  return [...enter, `exec "$@" ${close.join(' ')}`].join(' && ');
}
