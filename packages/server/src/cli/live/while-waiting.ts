import type { Printer } from '../printer.ts';
import type { Terminal } from '../terminal.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';

/** Nobody looks. */
const unseen: Pick<ProgressLine, 'progress'> = { progress: () => undefined };

/**
 * What `work` gives. Where it takes longer than a second, a terminal has a line that says so, and for how long; nothing
 * anywhere else, nor with --json.
 */
export async function whileWaiting<T>(
  { stderr }: Pick<Terminal, 'stderr'>,
  print: Printer,
  what: string,
  work: (line: Pick<ProgressLine, 'progress'>) => Promise<T>,
): Promise<T> {
  if (print.json || stderr.isTTY !== true) return work(unseen);
  const line = progressLine(stderr, what);
  try {
    return await work(line);
  } finally {
    line.end();
  }
}
