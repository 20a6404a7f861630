import { Command, CommanderError } from 'commander';
import type { Actions } from './actions.ts';
import { addAudit } from './commands/audit.ts';
import { type CommandContext, examples } from './commands/command-context.ts';
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
import { addSkills } from './commands/skills.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import type { Output, Terminal } from './terminal.ts';
import { errorText } from './text/error-text.ts';

/**
 * The `ambit` command. `argv` is what follows the program's name. Resolves to the exit code when the command has ended
 * (for `serve`: when it was told to stop), and never rejects: what went wrong is on stderr by then.
 */
export async function ambitCli(
  actions: Actions,
  terminal: Terminal,
  argv: readonly string[],
): Promise<ExitCode> {
  outliveReader(terminal.stdout);
  outliveReader(terminal.stderr);
  const context: CommandContext = { actions, terminal, exitCode: 0 };
  try {
    await ambitCommand(context).parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return failed(terminal, argv, error);
  }
}

/** `ambit audit | head` ends the reader first; that is no error of anybody's. */
function outliveReader(output: Output): void {
  output.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function ambitCommand(context: CommandContext): Command {
  const { terminal, actions } = context;
  const program = new Command('ambit')
    .description('Runs the skills of AI agents within bounds.')
    .version(actions.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--config <file>', 'the configuration (default: ambit.config.yaml in this folder)')
    .option('--data-dir <dir>', 'where key and audit log are (default: .ambit)')
    .option('--url <address>', 'ask the daemon there (or AMBIT_URL), with the key in AMBIT_KEY or --key-file')
    .option('--key-file <file>', 'where the key for the daemon is (or AMBIT_KEY_FILE)')
    .option('--json', 'print one JSON document; errors too, to stderr')
    .option('--no-color', 'print without colours; so does NO_COLOR=1')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
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
    addSkills,
    addPrompt,
    addMcp,
    addImport,
    addExport,
    addAudit,
    addKey,
    addDoctor,
    addConfig,
    addCompletion,
  ])
    add(program, context);
  return program;
}

function exitCodeLines(): string {
  return Object.entries(exitCodes)
    .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
    .join('\n');
}

function failed({ stderr }: Terminal, argv: readonly string[], error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version have been printed, and so has the help that answers a line without a command.
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help') return 2;
  }
  const { next, ...facts } = errorText(error);
  // The line may not have been understood, so that the flag is looked for by its name.
  if (options(argv).includes('--json')) stderr.write(`${JSON.stringify({ error: facts })}\n`);
  else stderr.write(`ambit: ${facts.code}: ${facts.message}\n${next === undefined ? '' : `${next}\n`}`);
  return error instanceof CommanderError ? 2 : exitCodeOf(error);
}

function options(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
