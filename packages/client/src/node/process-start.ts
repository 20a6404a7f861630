import { readFile } from 'node:fs/promises';

/**
 * Returns the start time of a process, in the kernel's clock ticks since boot, which distinguishes it from a
 * later process with the same id. `undefined` if the system does not tell (only Linux does), and
 * for a process that has ended, even if its parent has not waited for it: its ports are free
 * already.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // After the program's name, which may contain blanks and brackets: state is field 3, start time
    // field 22 (proc(5)).
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZXx'.includes(state) ? undefined : rest[18];
  } catch {
    return undefined;
  }
}
