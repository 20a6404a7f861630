import type { Command } from 'commander';
import type { Config, ConfigFlags } from '../../config/config.ts';
import type { RunningDaemon } from '../actions/actions.ts';
import { CliError } from '../cli-error.ts';
import { serveSignals } from '../serve-signals.ts';
import { startBanner, startReport } from '../text/start-banner.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit serve`: the daemon, in the foreground. */
export function addServe(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .summary('start the daemon')
    .description(
      'Starts the daemon in the foreground and says on stdout where it listens. Its log goes to stderr, as JSON lines. Ctrl-C or SIGTERM stops it in order: nothing new is taken, calls that run may end (shutdown.drainMs), then are canceled, and all are recorded; the second one cancels them at once. SIGHUP has it read its configuration again ("ambit config reload").',
    )
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'the port; 0 takes a free one (default: 7433)')
    .option(
      '--allow-remote',
      'allow a --host that other machines can reach, over plain HTTP; not needed with listen.tls',
    )
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (default: info)')
    .addHelpText(
      'after',
      examples(
        ['ambit serve', 'on 127.0.0.1:7433, with the bundled skills'],
        ['ambit serve --port 0 --json', 'on a free port; one line of JSON says which'],
        ['ambit serve --config /etc/ambit.yaml', 'with a configuration from elsewhere'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const config = await context.actions.loadConfig(flags);
      // Before it listens: a signal that comes while it starts must not leave it half there.
      const signals = serveSignals(context.terminal);
      try {
        const daemon = await start(context, config, flags);
        signals.onReload(() => void daemon.reload());
        const report = startReport(daemon);
        if (print.json) print.document(report);
        else print.lines(...startBanner(report));
        await signals.stop;
        await daemon.close(signals.hurry);
      } finally {
        signals.ignore();
      }
    });
}

async function start(
  { actions }: CommandContext,
  config: Config,
  flags: ConfigFlags,
): Promise<RunningDaemon> {
  try {
    return await actions.startDaemon(config, flags);
  } catch (error) {
    const problem = addressProblems[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem === undefined) throw error;
    const { host, port } = config.listen;
    throw new CliError(
      'ADDRESS_UNAVAILABLE',
      `cannot listen on ${host}:${port}: ${problem}; choose another with --host and --port`,
      {
        cause: error,
      },
    );
  }
}

const addressProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not have that port',
  ENOTFOUND: 'no such host',
};
