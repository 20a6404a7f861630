import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { printable } from '../text/printable.ts';
import { table } from '../text/table.ts';
import { valueText } from '../text/value-text.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit config`: the configuration in force, and where each value comes from. */
export function addConfig(program: Command, context: CommandContext): void {
  const config = program
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
      const { file } = await context.actions.loadConfig(flags);
      const [here] = context.actions.configFolders();
      if (file === undefined)
        print.note(
          `No ambit.config.yaml was found. To make one for this folder, write ${here}/ambit.config.yaml.`,
        );
    });
  addReload(config, context);
}

function addReload(config: Command, context: CommandContext): void {
  config
    .command('reload')
    .summary('have the daemon read its configuration again')
    .description(
      'Has the daemon that holds the data directory read its configuration again, with the flags and variables that it was started with, and says what came of it. Calls that run keep what they began with. A configuration that cannot be used, or that needs a restart, changes nothing: exit code 2. The data directory is that of the configuration here.',
    )
    .addHelpText(
      'after',
      examples(
        ['ambit config reload', 'the daemon of the configuration in this folder'],
        ['ambit config reload --config /etc/ambit.yaml', 'that of another'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const report = await context.actions.reloadDaemon(await context.actions.loadConfig(flags));
      if (report.outcome === 'refused')
        throw new ConfigError([...report.issues, 'the daemon goes on as it was']);
      if (print.json) print.document(report);
      else if (report.outcome === 'unchanged') print.lines('Nothing in it is otherwise than before.');
      else
        print.lines(
          'In force now, otherwise than before:',
          ...report.changed.map((key) => `  ${printable(key)}`),
        );
    });
}
