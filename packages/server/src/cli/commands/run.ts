import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Call, Runner } from '../actions/actions.ts';
import { CliError } from '../cli-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { shownRun } from '../live/shown-run.ts';
import type { Printer } from '../printer.ts';
import { callOf, type RunFlags } from '../run/call-of.ts';
import { printRun } from '../run/print-run.ts';
import { receipted } from '../save-receipt.ts';
import { withSearchedPlaces } from '../searched-places.ts';
import { onInterrupt, type Terminal } from '../terminal.ts';
import { saveFiles } from '../workspace-files.ts';
import { type CommandContext, collect, examples, flagsOf } from './command-context.ts';

/** `ambit run`: one call, through the daemon where there is one. */
export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .summary('execute a skill')
    .description(
      'Executes one skill within its bounds and prints its output. Where a daemon holds the data directory the call goes through it; otherwise it runs in this process, recorded alike. Ctrl-C cancels it.',
    )
    .argument('<skill>', 'which skill')
    .argument('[args...]', 'for protocol command: its arguments, after --')
    .option('--input <json|file>', 'for protocol json: the input, as JSON or the name of a file; - is stdin')
    .option('--stdin <file>', 'for protocol command: what it reads on stdin; - is stdin')
    .option(
      '--context <json|file>',
      'where the call comes from, as JSON or the name of a file, for skills that ask; its "memory" can be recalled',
    )
    .option(
      '--script <script>',
      'which of its scripts: a name in run.scripts of its ambit.yaml, a file in scripts/, or "-m package.module"',
    )
    .option(
      '--file <path>',
      'put this file or folder into the workspace, under its own name, or TARGET with PATH=TARGET; again for more',
      collect,
    )
    .option('--save <folder>', 'write what the run left in its workspace below this folder')
    .option('--workspace <id>', 'run in this workspace of the daemon, which keeps what the run leaves')
    .option('--receipt <file>', 'write a signed receipt of the call there, also when it is refused')
    .option('--read <path>', 'of the paths that the skill may read, only this one; again for more', collect)
    .option('--timeout <ms>', 'stop it after this long, if no other limit is lower', milliseconds)
    .option('--stream', 'print what it writes as it comes, also where no terminal shows it')
    .addHelpText(
      'after',
      examples(
        [`ambit run csv-profile --input '{"csv":"a,b\\n1,2\\n"}'`, 'protocol json: the input itself'],
        ['ambit run csv-profile --input request.json', 'the input from a file'],
        [`echo '{"text":"ada@example.org"}' | ambit run text-redact --input -`, 'the input from stdin'],
        ['ambit run git-summary -- /srv/repos/shop --max 5', 'protocol command: arguments'],
        [
          'ambit run git-summary --read /srv/repos/shop -- /srv/repos/shop',
          'with less than the operator grants',
        ],
      ),
    )
    .action(async (skillId: string, args: string[], _options, command: Command) => {
      const { flags, print } = flagsOf<RunFlags>(context, command);
      if (flags.stream && print.json) {
        throw new CliError(
          'USAGE_INVALID',
          '--json prints one document at the end: leave out --stream or --json',
        );
      }
      const config = await context.actions.loadConfig(flags);
      const call = await callOf(context.terminal, skillId, args, flags, config.bodyLimitBytes);
      const runner = await runnerFor(context, config, call);
      try {
        context.exitCode = await execute(context.terminal, print, runner, call, flags).catch((error) => {
          throw withSearchedPlaces(error, context, config, skillId);
        });
      } finally {
        await runner.close();
      }
    });
}

async function runnerFor({ actions }: CommandContext, config: Config, { workspace }: Call): Promise<Runner> {
  const daemon = await actions.connectDaemon(config);
  if (daemon !== undefined) return daemon;
  if (workspace === undefined) return actions.openRunner(config);
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'workspaces are kept by a daemon, and none runs; start it with ambit serve, or leave --workspace out',
  );
}

function milliseconds(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write milliseconds, a whole number above 0.');
}

async function execute(
  terminal: Terminal,
  print: Printer,
  runner: Runner,
  call: Call,
  { save, receipt, stream }: Pick<RunFlags, 'save' | 'receipt' | 'stream'>,
): Promise<ExitCode> {
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(terminal, () =>
    interrupt.abort(new Error('interrupted at the command line')),
  );
  const shown = shownRun(terminal, print, call.skillId, stream === undefined ? {} : { stream });
  try {
    const running = runner.execute(call, interrupt.signal, shown.onEvent);
    const result = await receipted(terminal, receipt, running);
    shown.end();
    if (save !== undefined) await saveFiles(resolve(terminal.cwd(), save), result.files ?? []);
    const exitCode = printRun(print, shown, call, result, save !== undefined);
    return interrupt.signal.aborted ? 130 : exitCode;
  } catch (error) {
    // A daemon cancels the call of a client that goes; its record is there, and the answer never comes.
    if (error !== interrupt.signal.reason) throw error;
    const message = `${call.skillId} was canceled: ${interrupt.signal.reason.message}.`;
    if (print.json) throw new CliError('INTERRUPTED', message);
    print.note(message);
    return 130;
  } finally {
    shown.end();
    ignoreInterrupt();
  }
}
