import type { Printer } from '../printer.ts';
import type { Terminal } from '../terminal.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';

const noLine: Pick<ProgressLine, 'progress'> = { progress: () => undefined };

/** Runs `work` and shows the elapsed time if it takes longer than a second: only on a terminal, and not with --json. */
export async function whileWaiting<T>(
  { stderr }: Pick<Terminal, 'stderr'>,
  print: Printer,
  what: string,
  work: (line: Pick<ProgressLine, 'progress'>) => Promise<T>,
): Promise<T> {
  if (print.json || stderr.isTTY !== true) return work(noLine);
  const line = progressLine(stderr, what);
  try {
    return await work(line);
  } finally {
    line.end();
  }
}
