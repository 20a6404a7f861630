import { once } from 'node:events';
import type { RunningDaemon } from '@ambit/server/app';
import { addressProblem, type Config, type ConfigFlags, logLevels } from '@ambit/server/config';
import { Refusal } from '@ambit/server/errors';
import { serveSignals } from '@ambit/server/signals';
import manifest from '../../../package.json' with { type: 'json' };
import { type CommandContext, defineCommand } from '../../command/define-command.ts';
import { startBanner, startReport } from './start-banner.ts';

/** `ambit serve`: the daemon, in the foreground. */
export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'start the daemon',
  description:
    'Start the daemon in the foreground and print its address to stdout. The log goes to stderr as JSON lines. Ctrl-C or SIGTERM shuts it down: it accepts no new calls, waits for running ones up to shutdown.drainMs, cancels the rest and records them all. A second signal cancels them immediately. SIGHUP reloads the configuration, like "ambit config reload".',
  options: {
    host: { value: 'host', text: 'listen on this address (default: 127.0.0.1)' },
    port: { value: 'port', text: 'listen on this port; 0 picks a free one (default: 7433)' },
    allowRemote: {
      text: 'allow a --host that other machines can reach over plain HTTP; not needed with listen.tls',
    },
    logLevel: {
      value: 'level',
      text: 'log at fatal, error, warn, info, debug, trace or silent (default: info)',
      completes: logLevels,
    },
  },
  examples: {
    'ambit serve': 'on 127.0.0.1:7433, with the bundled skills',
    'ambit serve --port 0 --json': 'on a free port, printed as JSON',
    'ambit serve --config /etc/ambit.yaml': 'with this configuration',
  },
  async run(context, flags) {
    const { terminal, print } = context;
    const config = await context.loadConfig(flags);
    // Listen before the daemon starts, so that a signal during the start shuts it down properly.
    const signals = serveSignals(terminal);
    try {
      const daemon = await start(context, config, flags, signals.stopped);
      if (daemon === undefined) return;
      signals.onReload(() => void daemon.reload());
      const report = startReport(daemon);
      if (print.json) print.document(report);
      else print.lines(...startBanner(report));
      if (!signals.stopped.aborted) await once(signals.stopped, 'abort');
      await daemon.close(signals.cancelNow);
    } finally {
      signals.ignore();
    }
  },
});

/** Resolves to `undefined` if the start was ended. */
async function start(
  { loadConfig, valuesOf, terminal }: CommandContext,
  config: Config,
  flags: ConfigFlags,
  stopped: AbortSignal,
): Promise<RunningDaemon | undefined> {
  try {
    const { startDaemon } = await import('@ambit/server/app');
    // A project that appears later does not take over the user's own daemon.
    const load = () => loadConfig(flags, { outsideProjects: config.scope.kind === 'user' });
    return await startDaemon(config, terminal.env, manifest.version, { load, valuesOf, stopped });
  } catch (error) {
    if (stopped.aborted && error === stopped.reason) return undefined;
    const problem = addressProblem(error);
    if (problem === undefined) throw error;
    const { host, port } = config.listen;
    throw new Refusal(
      'ADDRESS_UNAVAILABLE',
      `cannot listen on ${host}:${port}: ${problem}. Choose another address with --host and --port`,
      { cause: error },
    );
  }
}
