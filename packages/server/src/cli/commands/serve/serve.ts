import { once } from 'node:events';
import type { Command } from 'commander';
import type { Config, ConfigFlags } from '../../../config/config.ts';
import { Refusal } from '../../../errors/refusal.ts';
import { type CommandContext, examples, flagsOf } from '../../command/command-context.ts';
import type { RunningDaemon } from '../../ports/actions.ts';
import { serveSignals } from './serve-signals.ts';
import { startBanner, startReport } from './start-banner.ts';

/** `ambit serve`: the daemon, in the foreground. */
export function addServe(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .summary('start the daemon')
    .description(
      'Start the daemon in the foreground and print its address to stdout. The log goes to stderr as JSON lines. Ctrl-C or SIGTERM shuts it down: it accepts no new calls, waits for running ones up to shutdown.drainMs, cancels the rest and records them all. A second signal cancels them immediately. SIGHUP reloads the configuration, like "ambit config reload".',
    )
    .option('--host <host>', 'listen on this address (default: 127.0.0.1)')
    .option('--port <port>', 'listen on this port; 0 picks a free one (default: 7433)')
    .option(
      '--allow-remote',
      'allow a --host that other machines can reach over plain HTTP; not needed with listen.tls',
    )
    .option('--log-level <level>', 'log at fatal, error, warn, info, debug, trace or silent (default: info)')
    .addHelpText(
      'after',
      examples(
        ['ambit serve', 'on 127.0.0.1:7433, with the bundled skills'],
        ['ambit serve --port 0 --json', 'on a free port, printed as JSON'],
        ['ambit serve --config /etc/ambit.yaml', 'with this configuration'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const config = await context.actions.loadConfig(flags);
      // Listen before the daemon starts, so that a signal during the start shuts it down properly.
      const signals = serveSignals(context.terminal);
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
    });
}

/** Resolves to `undefined` if the start was ended. */
async function start(
  { actions }: CommandContext,
  config: Config,
  flags: ConfigFlags,
  stopped: AbortSignal,
): Promise<RunningDaemon | undefined> {
  try {
    return await actions.startDaemon(config, flags, stopped);
  } catch (error) {
    if (stopped.aborted && error === stopped.reason) return undefined;
    const problem = addressProblems[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem === undefined) throw error;
    const { host, port } = config.listen;
    throw new Refusal(
      'ADDRESS_UNAVAILABLE',
      `cannot listen on ${host}:${port}: ${problem}. Choose another address with --host and --port`,
      { cause: error },
    );
  }
}

const addressProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not use the port',
  ENOTFOUND: 'the host is unknown',
};
