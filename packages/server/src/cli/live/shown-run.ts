import type { RunObserver } from '@ambit/core/internal';
import type { Printer } from '../printer.ts';
import type { Terminal } from '../terminal.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';

/** What is shown of a call before its end. */
export interface ShownRun {
  onEvent: RunObserver;
  /** What of a text is still to be shown, once the end has brought all of it; a log's last line gets its end. */
  rest(stream: 'stdout' | 'log', text: string): string;
  end(): void;
}

/**
 * Shows what a skill writes as it comes: each stream where a terminal shows it, or, with `stream`, always. What takes
 * longer than a second has a line on a terminal that says so. Nothing of either with --json: its document has everything.
 */
export function shownRun(
  { stdout, stderr }: Terminal,
  print: Printer,
  skillId: string,
  { stream = false }: { stream?: boolean },
): ShownRun {
  const isShown = {
    stdout: !print.json && (stream || stdout.isTTY === true),
    log: !print.json && (stream || stderr.isTTY === true),
  };
  const shownLength = { stdout: 0, log: 0 };
  let logIsWhole = true;
  const line: ProgressLine | undefined =
    !print.json && stderr.isTTY === true ? progressLine(stderr, skillId) : undefined;
  const show = (to: 'stdout' | 'log', text: string): void => {
    if (!isShown[to]) return;
    shownLength[to] += text.length;
    // Where both are one terminal, a line is in the way of either.
    line?.giveWay(text.endsWith('\n'));
    if (to === 'stdout') print.skillOutput(text);
    else {
      print.skillLogPart(text);
      logIsWhole = text.endsWith('\n');
    }
  };
  return {
    onEvent(event) {
      if (event.kind === 'progress') line?.progress(event);
      else if (event.kind === 'stdout') show('stdout', event.text);
      else if (event.kind !== 'started') show('log', event.text);
    },
    rest(of, text) {
      const left = text.slice(shownLength[of]);
      return of === 'log' && left === '' && !logIsWhole ? '\n' : left;
    },
    end: () => line?.end(),
  };
}
