import { setImmediate } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import type { Actions } from './actions/actions.ts';
import { CliError } from './cli-error.ts';
import { addAudit } from './commands/audit/audit.ts';
import { type CommandContext, examples, type GlobalFlags } from './commands/command-context.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addKey } from './commands/key.ts';
import { addMcp } from './commands/mcp.ts';
import { addPrompt } from './commands/prompt.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addSkills } from './commands/skills/skills.ts';
import { addTrust } from './commands/trust.ts';
import { addWorkspace } from './commands/workspace.ts';
import { completeCommand } from './completion/shell-script.ts';
import { pathOf } from './completion/wanted-value.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { errorText } from './text/error-text.ts';
import { printable } from './text/printable.ts';

/**
 * The `ambit` command. `argv` is what follows the program's name. Resolves to the exit code when the command has ended
 * (for `serve`: when it was told to stop), and never rejects: what went wrong is on stderr by then.
 */
export async function ambitCli(
  actions: Actions,
  terminal: Terminal,
  argv: readonly string[],
): Promise<ExitCode> {
  const reader = new AbortController();
  let lost: NodeJS.ErrnoException | undefined;
  terminal.stdout.on('error', (error) => {
    // `ambit audit | head` ends the reader first; that is no error of anybody's.
    if (error.code !== 'EPIPE') lost ??= error;
    reader.abort();
  });
  // Whoever cannot be told is told nothing; the exit code says it still.
  terminal.stderr.on('error', () => undefined);
  const context: CommandContext = { actions, terminal, readerGone: reader.signal, exitCode: 0 };
  const isSilent = options(argv).includes('--json');
  try {
    await ambitCommand(context, { isSilent }).parseAsync(argv, { from: 'user' });
  } catch (error) {
    const exitCode = failed(terminal, argv, error);
    if (exitCode !== 0) return exitCode;
  }
  // What could not be written is known a moment after.
  await setImmediate();
  return lost === undefined ? context.exitCode : failed(terminal, argv, outputLost(lost));
}

function outputLost(cause: NodeJS.ErrnoException): CliError {
  return new CliError(
    'OUTPUT_LOST',
    `the answer cannot be written to stdout (${cause.message}): make room there, or send it elsewhere; what the command did is done`,
    { cause },
  );
}

/** Every command there is, to be parsed, or to be asked what there is. Where it is silent, no mistake is answered with help. */
export function ambitCommand(context: CommandContext, { isSilent = false } = {}): Command {
  const { terminal, actions } = context;
  const program = new Command('ambit')
    .description('Runs the skills of AI agents within bounds.')
    .version(actions.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--config <file>', 'the configuration (default: ambit.config.yaml in this folder or above)')
    .option('--data-dir <dir>', 'where key and audit log are (default: .ambit beside the configuration)')
    .option('--url <address>', 'ask the daemon at this address (or AMBIT_URL)')
    .option('--key-file <file>', 'its key (or AMBIT_KEY_FILE; or the key itself in AMBIT_KEY)')
    .option('--json', 'print one JSON document; errors too, to stderr')
    .option('--no-color', 'print without colours; so does NO_COLOR=1')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => isSilent || terminal.stderr.write(text),
      // Printed where every other error is.
      outputError: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns ?? 110,
      getErrHelpWidth: () => terminal.stderr.columns ?? 110,
    })
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        ['ambit serve', 'start the daemon'],
        ['ambit skills list', 'see what there is'],
        ['ambit run --help', 'how to execute one'],
      ),
    )
    .addHelpText('after', `\nExit codes:\n${exitCodeLines()}`);
  for (const add of [
    addServe,
    addRun,
    addWorkspace,
    addSkills,
    addPrompt,
    addMcp,
    addImport,
    addExport,
    addAudit,
    addKey,
    addDoctor,
    addConfig,
    addTrust,
    addCompletion,
  ])
    add(program, context);
  return program.hook('preAction', (_, command) => refuseUrl(command));
}

/** Whoever names a daemon means that one, and would take what is done here for done there. */
function refuseUrl(command: Command): void {
  const path = pathOf(command);
  if (asksDaemon.includes(path) || command.optsWithGlobals<GlobalFlags>().url === undefined) return;
  throw new CliError(
    'USAGE_INVALID',
    `ambit ${path} works on files of this machine, and asks no daemon at an address: leave out --url, or run it where the daemon runs`,
  );
}

const asksDaemon: readonly string[] = [
  'run',
  'skills list',
  'skills show',
  'prompt',
  'mcp',
  'workspace create',
  'workspace list',
  'workspace put',
  'workspace get',
  'workspace remove',
  'doctor',
  'audit',
  'audit show',
  'audit stats',
  'audit export',
  completeCommand,
];

function exitCodeLines(): string {
  return Object.entries(exitCodes)
    .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
    .join('\n');
}

function failed({ stderr, env }: Terminal, argv: readonly string[], error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version have been printed, and so has the help that answers a line without a command.
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help' && !options(argv).includes('--json')) return 2;
  }
  const { next, ...facts } = errorText(error, { debug: Boolean(env['AMBIT_DEBUG']) });
  // The line may not have been understood, so that the flag is looked for by its name.
  const text = options(argv).includes('--json')
    ? JSON.stringify({ error: facts })
    : `ambit: ${facts.code}: ${facts.message}${next === undefined ? '' : `\n${next}`}`;
  // What is wrong is often somebody else's text.
  stderr.write(`${stderr.isTTY ? printable(text) : text}\n`);
  return error instanceof CommanderError ? 2 : exitCodeOf(error);
}

function options(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
