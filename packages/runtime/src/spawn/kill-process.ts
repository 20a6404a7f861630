import { readFileSync } from 'node:fs';
import { until } from './until.ts';

/**
 * Sends SIGKILL to a process, or to a group if the id is negative. Does nothing if it no longer
 * exists.
 */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Kills the first process of a pid namespace and waits until it is gone, which is when the kernel
 * has ended every other process in the namespace. bubblewrap returns as soon as the program has
 * ended, even if other processes still run.
 */
export async function endNamespace(firstPid: number): Promise<void> {
  killProcess(firstPid);
  await until(() => !isAlive(firstPid));
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
