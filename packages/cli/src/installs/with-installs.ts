import type { CommandContext } from '../command/define-command.ts';
import { untilInterrupted } from '../command/until-interrupted.ts';
import { whileWaiting } from '../output/progress-line.ts';
import type { DaemonInstalls } from '../ports/actions.ts';

/** Lets one command use the installed skills. Ctrl-C cancels it, and `what` is shown if it takes longer than a second. */
export async function withInstalls<Result>(
  { actions, terminal, readerGone, flags, print }: CommandContext,
  what: string,
  use: (installs: DaemonInstalls, requester: { signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const config = await actions.loadConfig(flags);
  return untilInterrupted(terminal, readerGone, async (signal) => {
    const installs = await actions.connectInstalls(config, { signal });
    return whileWaiting(terminal, print, what, () => use(installs, { signal }));
  });
}
