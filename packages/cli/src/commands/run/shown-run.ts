import type { RunObserver } from '@ambit/core/execute';
import type { Printer } from '../../output/printer.ts';
import { type ProgressLine, progressLine } from '../../output/progress-line.ts';
import type { Terminal } from '../../output/terminal.ts';

/** The live output of a call. */
export interface ShownRun {
  onEvent: RunObserver;
  /** The part of the complete text that is not printed yet. Adds a missing line feed at the end of a log. */
  rest(stream: 'stdout' | 'log', text: string): string;
  /** Whether stdout is printed while it is written, as text. */
  readonly isLive: boolean;
  end(): void;
}

/**
 * Prints a skill's output while it runs: each stream that goes to a terminal, or with `stream` all of them. On a terminal, a
 * status line appears after one second. With --json nothing is printed before the final document.
 */
export function shownRun(
  { stdout, stderr }: Terminal,
  print: Printer,
  skillId: string,
  { stream = false }: { stream?: boolean | undefined },
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
    // Both streams may go to the same terminal as the status line.
    line?.giveWay(text.endsWith('\n'));
    if (to === 'stdout') print.skillOutput(text);
    else {
      print.skillLogPart(text);
      logIsWhole = text.endsWith('\n');
    }
  };
  return {
    isLive: isShown.stdout,
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
