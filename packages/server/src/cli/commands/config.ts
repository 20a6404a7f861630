import type { Command } from 'commander';
import { table } from '../text/table.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit config`: the configuration in force, and where each value comes from. */
export function addConfig(program: Command, context: CommandContext): void {
  program
    .command('config')
    .summary('show the configuration in force')
    .description(
      'Shows every value of the configuration and its origin: default, file, env (a variable) or flag. Later ones win.',
    )
    .addHelpText(
      'after',
      examples(
        ['ambit config', 'what holds in this folder'],
        ['AMBIT_PORT=8080 ambit config', 'what a variable changes'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const values = await context.actions.configWithOrigins(flags);
      if (print.json) print.document({ values });
      else
        print.lines(
          ...table(
            values.map(({ key, value, origin }) => [key, origin, valueText(value)]),
            Number.POSITIVE_INFINITY,
          ),
        );
    });
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(withoutEmpty(value));
}

/** Capabilities without the kinds that nobody mentioned. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== 'none' && !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
