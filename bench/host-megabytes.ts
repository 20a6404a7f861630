import { readdir, readFile } from 'node:fs/promises';

/** The resident memory of a WASM host process; `NaN` if there is none. */
export async function hostMegabytes(): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.startsWith('/ambit/node\0')) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1000;
  }
  return Number.NaN;
}
