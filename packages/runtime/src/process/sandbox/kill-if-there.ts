import { readFileSync } from 'node:fs';
import { until } from './until.ts';

/** Ends a process by its id, or a group by its id below 0, whatever it does with signals; one that has gone is no error. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends the first process of a pid namespace, and waits until it has gone: the kernel lets it go only when it has ended
 * every other process in there. bubblewrap itself returns as soon as the program has, whatever that left running.
 */
export async function endNamespace(firstPid: number): Promise<void> {
  killIfThere(firstPid);
  await until(() => !isAlive(firstPid));
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
