import { setImmediate } from 'node:timers/promises';
import type { ExitCode } from '@ambit/api';
import { Refusal } from '@ambit/server/errors';
import { CommanderError } from 'commander';
import { commandsOf } from './all-commands.ts';
import { ambitCommand } from './ambit-command.ts';
import type { Command, CommandContext, Surroundings } from './command/define-command.ts';
import { refuseSecretArguments } from './command/secret-arguments.ts';
import { errorText, exitCodeOf } from './output/error-text.ts';
import { printable } from './output/printable.ts';
import { printer } from './output/printer.ts';
import type { Terminal } from './output/terminal.ts';

/**
 * Runs the `ambit` command. `argv` excludes the program's name. Resolves to the exit code when the command ends (for
 * `serve`: when it has stopped). Never rejects: errors are printed to stderr.
 */
export async function ambitCli(
  { terminal, loadConfig, valuesOf, useDaemon }: Surroundings,
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
  const context: CommandContext = {
    async loadConfig(...given) {
      const config = await loadConfig(...given);
      if (config.scope.kind === 'user') context.configFile = config.userFile;
      return config;
    },
    valuesOf,
    async client(config, use = {}) {
      context.daemon = await useDaemon(config, context, use);
      return context.daemon.client;
    },
    terminal,
    commands: await commandsOf(argv),
    readerGone: reader.signal,
    print: printer(terminal, {}),
    flags: {},
    exitCode: 0,
  };
  const isSilent = options(argv).includes('--json');
  try {
    refuseSecretArguments(argv);
    await ambitCommand(context, { isSilent })
      .parseAsync(argv, { from: 'user' })
      .finally(() => context.daemon?.close());
  } catch (error) {
    // Not every command loads it.
    const { daemonError } = await import('./output/daemon-error.ts');
    const exitCode = reportError(terminal, argv, daemonError(error, context.daemon), {
      ...context,
      command: commandOf(argv, context.commands),
    });
    if (exitCode !== 0) return exitCode;
  }
  // Streams report write errors on the next tick.
  await setImmediate();
  return writeError === undefined ? context.exitCode : reportError(terminal, argv, outputLost(writeError));
}

function outputLost(cause: NodeJS.ErrnoException): Refusal {
  return new Refusal(
    'OUTPUT_LOST',
    `cannot write the output to stdout: ${cause.message}. The command itself has finished. Free space, or redirect the output elsewhere`,
    { cause },
  );
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
  }: Partial<Pick<CommandContext, 'skillId' | 'skillFolder' | 'flags' | 'configFile'>> & {
    command?: string | undefined;
  } = {},
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
    command,
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
function commandOf(argv: readonly string[], commands: readonly Command[]): string {
  let name = '';
  for (const word of options(argv)) {
    const next = `${name} ${word}`.trim();
    if (commands.some((command) => command.name === next)) name = next;
  }
  return `ambit ${name}`.trim();
}

function options(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
