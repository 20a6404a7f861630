import { setImmediate } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { CliError } from '../errors/cli-error.ts';
import { type CommandContext, examples, type GlobalFlags } from './command/command-context.ts';
import { refuseSecretArguments } from './command/secret-arguments.ts';
import { addAudit } from './commands/audit/audit.ts';
import { addCluster } from './commands/cluster.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addConsole } from './commands/console.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addKey } from './commands/key.ts';
import { addMcp } from './commands/mcp.ts';
import { addPrompt } from './commands/prompt.ts';
import { addRun } from './commands/run/run.ts';
import { addServe } from './commands/serve/serve.ts';
import { addSkills } from './commands/skills/skills.ts';
import { addStore } from './commands/store.ts';
import { addTrust } from './commands/trust.ts';
import { addWorkspace } from './commands/workspace.ts';
import { completeCommand } from './completion/shell-script.ts';
import { pathOf } from './completion/wanted-value.ts';
import { errorText } from './output/error-text.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './output/exit-codes.ts';
import { printable } from './output/printable.ts';
import type { Terminal } from './output/terminal.ts';
import type { Actions } from './ports/actions.ts';

/**
 * Runs the `ambit` command. `argv` excludes the program's name. Resolves to the exit code when the command ends (for
 * `serve`: when it has stopped). Never rejects: errors are printed to stderr.
 */
export async function ambitCli(
  actions: Actions,
  terminal: Terminal,
  argv: readonly string[],
): Promise<ExitCode> {
  const reader = new AbortController();
  let writeError: NodeJS.ErrnoException | undefined;
  terminal.stdout.on('error', (error) => {
    // A reader that closes the pipe, as in `ambit audit | head`, is not an error.
    if (error.code !== 'EPIPE') writeError ??= error;
    reader.abort();
  });
  // If stderr is gone, the exit code still reports the error.
  terminal.stderr.on('error', () => undefined);
  const context: CommandContext = { actions, terminal, readerGone: reader.signal, exitCode: 0 };
  const isSilent = options(argv).includes('--json');
  const program = ambitCommand(context, { isSilent });
  try {
    refuseSecretArguments(argv);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const exitCode = reportError(terminal, argv, error, { ...context, command: commandOf(program, argv) });
    if (exitCode !== 0) return exitCode;
  }
  // Streams report write errors on the next tick.
  await setImmediate();
  return writeError === undefined ? context.exitCode : reportError(terminal, argv, outputLost(writeError));
}

function outputLost(cause: NodeJS.ErrnoException): CliError {
  return new CliError(
    'OUTPUT_LOST',
    `cannot write the output to stdout: ${cause.message}. The command itself has finished. Free space, or redirect the output elsewhere`,
    { cause },
  );
}

/** All commands. `isSilent`: do not print help for a usage mistake. */
export function ambitCommand(context: CommandContext, { isSilent = false } = {}): Command {
  const { terminal, actions } = context;
  const program = new Command('ambit')
    .description('Run the skills of AI agents in a sandbox.')
    .version(actions.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--config <file>', 'use this configuration (default: ambit.config.yaml in this folder or above)')
    .option('--data-dir <dir>', 'use this data directory (default: .ambit beside the configuration)')
    .option('--url <address>', 'call the daemon at this address (or set AMBIT_URL)')
    .option('--key-file <file>', 'read the daemon key from this file (or set AMBIT_KEY_FILE or AMBIT_KEY)')
    .option('--json', 'print one JSON document; errors are JSON on stderr')
    .option('--no-color', 'print without colors (or set NO_COLOR=1)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => isSilent || terminal.stderr.write(text),
      // `reportError` prints it.
      outputError: () => undefined,
      getOutHelpWidth: () => terminal.stdout.columns ?? 110,
      getErrHelpWidth: () => terminal.stderr.columns ?? 110,
    })
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        ['ambit serve', 'start the daemon'],
        ['ambit skills list', 'list the skills'],
        ['ambit run --help', 'learn how to run one'],
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
    addStore,
    addConsole,
    addCluster,
    addDoctor,
    addConfig,
    addTrust,
    addCompletion,
  ])
    add(program, context);
  return program.hook('preAction', (_, command) => {
    context.flags = command.optsWithGlobals<GlobalFlags>();
    context.configFile = context.flags.config ?? (terminal.env['AMBIT_CONFIG'] || undefined);
    refuseUrl(command);
  });
}

/** Refuses `--url` for a command that works on local files: its user would expect the effect in that daemon. */
function refuseUrl(command: Command): void {
  const path = pathOf(command);
  if (remoteCommands.includes(path) || command.optsWithGlobals<GlobalFlags>().url === undefined) return;
  throw new CliError(
    'USAGE_INVALID',
    `ambit ${path} works on local files and does not support --url: omit --url, or run the command on the daemon's machine`,
  );
}

const remoteCommands: readonly string[] = [
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

function reportError(
  { stdin, stderr, env }: Terminal,
  argv: readonly string[],
  error: unknown,
  {
    skillId,
    skillFolder,
    flags = {},
    configFile,
    command,
  }: Pick<CommandContext, 'skillId' | 'skillFolder' | 'flags' | 'configFile'> & { command?: string } = {},
): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version are already printed, and so is the help for a line without a command.
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help' && !options(argv).includes('--json')) return 2;
  }
  const { next, ...facts } = errorText(error, {
    stdin,
    debug: Boolean(env['AMBIT_DEBUG']),
    skillId,
    skillFolder,
    flags,
    configFile,
    ...(command && { command }),
  });
  // Parsing may have failed, so look for the flag itself.
  const text = options(argv).includes('--json')
    ? JSON.stringify({ error: facts })
    : `ambit: ${facts.code}: ${facts.message}${next === undefined ? '' : `\n${next}`}`;
  // The message may quote untrusted text.
  stderr.write(`${stderr.isTTY ? printable(text) : text}\n`);
  return error instanceof CommanderError ? 2 : exitCodeOf(error);
}

/** The command that a line names, as far as it names one. */
function commandOf(program: Command, argv: readonly string[]): string {
  let command = program;
  for (const word of options(argv))
    command = command.commands.find((each) => each.name() === word) ?? command;
  return ['ambit', pathOf(command)].join(' ').trim();
}

function options(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
