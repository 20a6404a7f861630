import { stopDaemon } from '@ambit/server/daemon';
import { onInterrupt } from '@ambit/server/signals';
import { defineCommand } from '../command/define-command.ts';
import { whileWaiting } from '../output/progress-line.ts';

/** `ambit stop`: ends the daemon of the data directory. */
export const stopCommand = defineCommand({
  name: 'stop',
  summary: 'stop the daemon',
  description:
    'Ask the daemon of the data directory to shut down, and wait until it has: it accepts no new calls, waits for running ones up to shutdown.drainMs, cancels the rest and records them all. It works for a daemon that a command started and for "ambit serve". Ctrl-C ends only the wait.',
  examples: { 'ambit stop': 'stop the daemon that commands in this folder use' },
  async run(context, flags) {
    const { print, terminal } = context;
    const config = await context.loadConfig(flags);
    const interrupted = new AbortController();
    const ignoreInterrupt = onInterrupt(terminal, () => interrupted.abort());
    try {
      const stopping = () => stopDaemon(config, interrupted.signal);
      const stopped = await whileWaiting(terminal, print, 'stop', stopping);
      if (print.json) print.document({ stopped: stopped ?? null });
      else if (stopped === undefined) print.lines(`No daemon runs for ${config.dataDir}.`);
      else print.lines(`Stopped the daemon (process ${stopped.pid}).`);
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      context.exitCode = 130;
    } finally {
      ignoreInterrupt();
    }
  },
});
