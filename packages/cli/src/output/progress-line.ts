import type { Progress } from '@ambit/core/execute';
import { printableLine } from './printable.ts';
import type { Printer } from './printer.ts';
import type { Output, Terminal } from './terminal.ts';

/** A status line at the bottom of the terminal, redrawn on changes. */
export interface ProgressLine {
  progress(progress: Omit<Progress, 'kind'>): void;
  /** Removes the line before other output is written. `endsLine`: whether that output ends with a line feed. */
  giveWay(endsLine: boolean): void;
  end(): void;
}

/** Shorter commands show no line. */
const quietMs = 1000;

/** Shows the elapsed time and the progress of `what`, unless other output has left an unfinished line. */
export function progressLine(terminal: Output, what: string): ProgressLine {
  const startedAt = performance.now();
  let last: Omit<Progress, 'kind'> | undefined;
  let drawn = false;
  let atLineStart = true;

  const erase = (): void => {
    if (drawn) terminal.write('\r\u001b[2K');
    drawn = false;
  };
  const draw = (): void => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < quietMs || !atLineStart) return;
    const text = `${what}: ${last === undefined ? '' : `${progressText(last)}, `}${Math.floor(elapsedMs / 1000)} s`;
    terminal.write(`\r\u001b[2K${printableLine(text).slice(0, (terminal.columns || 80) - 1)}`);
    drawn = true;
  };
  // A timer can fire slightly early, before the full second.
  const timer = setInterval(draw, quietMs + 5);

  return {
    progress(progress) {
      last = progress;
      draw();
    },
    giveWay(endsLine) {
      erase();
      atLineStart = endsLine;
    },
    end() {
      clearInterval(timer);
      erase();
    },
  };
}

function progressText({ done, total, message }: Omit<Progress, 'kind'>): string {
  return `${done}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${message}`}`;
}

const noLine: Pick<ProgressLine, 'progress'> = { progress: () => undefined };

/** Runs `work` and shows the elapsed time if it takes longer than a second: only on a terminal, and not with --json. */
export async function whileWaiting<T>(
  { stderr }: Pick<Terminal, 'stderr'>,
  print: Pick<Printer, 'json'>,
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
