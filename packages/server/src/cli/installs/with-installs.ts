import type { Installs, Requester } from '../../installs/installs.ts';
import type { CommandContext } from '../command/define-command.ts';
import { untilInterrupted } from '../command/until-interrupted.ts';
import { whileWaiting } from '../output/progress-line.ts';

/** Opens the installed skills for one command. Ctrl-C cancels it, and `what` is shown if it takes longer than a second. */
export async function withInstalls<Result>(
  { actions, terminal, readerGone, flags, print }: CommandContext,
  what: string,
  use: (installs: Installs, requester: Requester) => Promise<Result>,
): Promise<Result> {
  const config = await actions.loadConfig(flags);
  const { installs, actor, close } = await actions.openInstalls(config);
  let done = 0;
  try {
    return await untilInterrupted(terminal, readerGone, (signal) =>
      whileWaiting(terminal, print, what, (line) =>
        use(installs, {
          actor,
          signal,
          onProgress(message) {
            done += 1;
            line.progress({ done, total: undefined, message });
          },
        }),
      ),
    );
  } finally {
    await close();
  }
}
