import { readdirSync, readFileSync } from 'node:fs';

/** The resident memory of the largest host process with this marker on its command line. */
export function hostMebibytes(marker: string): number {
  const resident = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).startsWith(`/ambit/node\0`))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(marker))
    .map((pid) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024);
  return Math.max(0, ...resident);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
