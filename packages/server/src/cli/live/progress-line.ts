import type { Progress } from '@ambit/core/internal';
import type { Output } from '../terminal.ts';
import { printableLine } from '../text/printable.ts';

/** One line at the end of what a terminal shows, drawn again as things change. */
export interface ProgressLine {
  progress(progress: Omit<Progress, 'kind'>): void;
  /** Takes the line away, for something else to be written; `endsLine` is whether that ends with a line's end. */
  giveWay(endsLine: boolean): void;
  end(): void;
}

/** What is over sooner needs no line. */
const quietMs = 1000;

/** Draws for how long `what` has run, and how far it says that it is; not within a line that something else has begun. */
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
  // A timer may be a moment early, and would find the second not quite over.
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
