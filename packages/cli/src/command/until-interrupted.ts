import { Refusal } from '@ambit/server/errors';
import { onInterrupt } from '@ambit/server/signals';
import type { Terminal } from '../output/terminal.ts';

/** Does something that Ctrl-C, and the end of the reader of stdout, end with `INTERRUPTED`. */
export async function untilInterrupted<Result>(
  terminal: Terminal,
  readerGone: AbortSignal,
  use: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(terminal, () =>
    interrupt.abort(new Refusal('INTERRUPTED', 'interrupted: nothing was changed')),
  );
  return use(AbortSignal.any([readerGone, interrupt.signal])).finally(ignoreInterrupt);
}
