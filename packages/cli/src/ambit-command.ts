import { exitCodes } from '@ambit/api';
import { UsageError } from '@ambit/core/outcome';
import { Argument, InvalidArgumentError, Option, Command as Parser } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import {
  type ArgumentSpec,
  type Command,
  type CommandContext,
  type GlobalFlags,
  globalOptions,
  longOf,
  nameOf,
  type OptionSpec,
} from './command/define-command.ts';
import { choicesOf, type ValueSpec } from './command/value-spec.ts';
import { printer } from './output/printer.ts';

/** The parser of the context's commands, which runs them. `isSilent`: do not print help for a usage mistake. */
export function ambitCommand(context: CommandContext, { isSilent = false } = {}): Parser {
  const { terminal, commands } = context;
  const program = new Parser('ambit')
    .description('Run the skills of AI agents in a sandbox.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
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
    .addHelpText('after', examplesText(programExamples))
    .addHelpText('after', `\nExit codes:\n${exitCodeLines()}`);
  for (const [key, spec] of Object.entries(globalOptions)) program.addOption(optionOf(key, spec));
  const parsers = new Map([['', program]]);
  for (const command of commands) {
    const words = command.name.split(' ');
    const above = parsers.get(words.slice(0, -1).join(' '));
    const parser = above?.command(words.at(-1) ?? '', { hidden: command.hidden === true });
    if (parser === undefined) throw new Error(`the command above ${command.name} is not defined before it`);
    parsers.set(command.name, describe(parser, command));
    if (command.run !== undefined) parser.action(() => run(context, command, parser));
  }
  return program;
}

const programExamples = {
  'ambit serve': 'start the daemon',
  'ambit skills list': 'list the skills',
  'ambit run --help': 'learn how to run one',
};

function describe(
  parser: Parser,
  { summary, description, args = {}, options = {}, examples }: Command,
): Parser {
  parser.summary(summary).description(description);
  for (const [key, spec] of Object.entries(args)) parser.addArgument(argumentOf(key, spec));
  for (const [key, spec] of Object.entries(options)) parser.addOption(optionOf(key, spec));
  return examples === undefined ? parser : parser.addHelpText('after', examplesText(examples));
}

function argumentOf(key: string, spec: ArgumentSpec): Argument {
  const name = `${nameOf(key)}${spec.variadic ? '...' : ''}`;
  const argument = new Argument(spec.optional ? `[${name}]` : `<${name}>`, spec.text);
  const choices = choicesOf(spec);
  if (choices !== undefined) argument.choices(choices);
  return spec.parse === undefined ? argument : argument.argParser(readerOf(spec.parse));
}

function optionOf(key: string, spec: OptionSpec): Option {
  const long = longOf(key, spec);
  const option = new Option(spec.value === undefined ? long : `${long} <${spec.value}>`, spec.text)
    .default(spec.default)
    .makeOptionMandatory(spec.required === true);
  const choices = choicesOf(spec);
  if (choices !== undefined) option.choices([...choices]);
  const read = spec.parse === undefined ? option.parseArg : readerOf(spec.parse);
  if (spec.repeatable)
    option.argParser((text, values: unknown[] = []) => [
      ...values,
      read === undefined ? text : read(text, undefined),
    ]);
  else if (read !== undefined) option.argParser(read);
  return option;
}

function readerOf(parse: NonNullable<ValueSpec['parse']>): (text: string) => unknown {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

async function run(context: CommandContext, command: Command, parser: Parser): Promise<void> {
  const flags = parser.optsWithGlobals<GlobalFlags>();
  context.flags = flags;
  context.print = printer(context.terminal, flags);
  context.configFile = flags.config ?? (context.terminal.env['AMBIT_CONFIG'] || undefined);
  // Its user would expect the effect in that daemon.
  if (flags.url !== undefined && command.remote !== true)
    throw new UsageError(
      `ambit ${command.name} works on local files and does not support --url: omit --url, or run the command on the daemon's machine`,
    );
  const args = Object.keys(command.args ?? {}).map((key, index) => [key, parser.processedArgs[index]]);
  await command.run?.(context, flags, Object.fromEntries(args));
}

/** The examples at the end of a command's help. */
function examplesText(examples: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, does]) => `  ${line.padEnd(width)}  ${does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

function exitCodeLines(): string {
  return Object.entries(exitCodes)
    .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
    .join('\n');
}
