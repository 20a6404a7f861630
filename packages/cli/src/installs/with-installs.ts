import type { AmbitClient } from '@ambit/client';
import type { CommandContext } from '../command/define-command.ts';
import { untilInterrupted } from '../command/until-interrupted.ts';
import { whileWaiting } from '../output/progress-line.ts';

/** Lets one command use the installed skills. Ctrl-C cancels it, and `what` is shown if it takes longer than a second. */
export async function withInstalls<Result>(
  context: CommandContext,
  what: string,
  use: (installs: AmbitClient['installs']) => Promise<Result>,
): Promise<Result> {
  const { terminal, readerGone, flags, print } = context;
  const config = await context.loadConfig(flags);
  return untilInterrupted(terminal, readerGone, async (signal) => {
    const { installs } = await context.client(config, { signal });
    return whileWaiting(terminal, print, what, () => use(installs));
  });
}
