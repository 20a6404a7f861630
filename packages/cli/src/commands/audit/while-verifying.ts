import { onInterrupt } from '@ambit/server/signals';
import type { CommandContext } from '../../command/define-command.ts';
import { whileWaiting } from '../../output/progress-line.ts';

/** The reports of a verification's progress, and the signal that ends it. */
interface VerifyOptions {
  onProgress(done: number, total: number): void;
  signal: AbortSignal;
}

/**
 * Verifies until Ctrl-C, with a progress line that counts `what`, and prints the result. Exits with 0 if it is intact, with 3 if it
 * is not, and with 130 after Ctrl-C.
 */
export async function whileVerifying<Found extends { intact: boolean }>(
  context: CommandContext,
  what: 'events' | 'nodes',
  verify: (verifying: VerifyOptions) => Promise<Found>,
  textOf: (found: Found) => readonly string[],
): Promise<void> {
  const { print } = context;
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(context.terminal, () =>
    interrupt.abort(new Error('interrupted at the command line')),
  );
  try {
    const found = await whileWaiting(context.terminal, print, 'verify', ({ progress }) =>
      verify({
        onProgress: (done, total) => progress({ done, total, message: what }),
        signal: interrupt.signal,
      }),
    );
    if (print.json) print.document(found);
    else print.lines(...textOf(found));
    context.exitCode = found.intact ? 0 : 3;
  } catch (error) {
    if (error !== interrupt.signal.reason) throw error;
    context.exitCode = 130;
  } finally {
    ignoreInterrupt();
  }
}
