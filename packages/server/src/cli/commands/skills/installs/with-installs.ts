import type { Asker, Installs } from '../../../../installs/installs.ts';
import type { CommandContext, GlobalFlags } from '../../../command/command-context.ts';
import type { Printer } from '../../../output/printer.ts';
import { whileWaiting } from '../../../output/progress-line.ts';
import { onInterrupt } from '../../../output/terminal.ts';
import { CliError } from '../../../ports/cli-error.ts';

/** Opens the installed skills for one command. Ctrl-C cancels it, and `what` is shown if it takes longer than a second. */
export async function withInstalls<Result>(
  { actions, terminal, readerGone }: CommandContext,
  { flags, print, what }: { flags: GlobalFlags; print: Printer; what: string },
  use: (installs: Installs, asker: Asker) => Promise<Result>,
): Promise<Result> {
  const config = await actions.loadConfig(flags);
  const { installs, actor, close } = await actions.openInstalls(config);
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(terminal, () =>
    interrupt.abort(new CliError('INTERRUPTED', 'interrupted: nothing was changed')),
  );
  const signal = AbortSignal.any([readerGone, interrupt.signal]);
  let done = 0;
  try {
    return await whileWaiting(terminal, print, what, (line) =>
      use(installs, {
        ...{ actor, signal },
        onProgress(message) {
          done += 1;
          line.progress({ done, total: undefined, message });
        },
      }),
    );
  } finally {
    ignoreInterrupt();
    await close();
  }
}
