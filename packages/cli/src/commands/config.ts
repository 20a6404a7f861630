import { type Config, ConfigError, foundSkills, limitWarnings, skillWarnings } from '@ambit/server/config';
import { daemonText, type ReloadResult, reloadDaemon } from '@ambit/server/daemon';
import { editableFile, scopeText } from '@ambit/server/trust';
import { type CommandContext, defineCommand } from '../command/define-command.ts';
import { printable, printableLine } from '../output/printable.ts';
import { table, valueText } from '../output/table.ts';

/** `ambit config`: the configuration in force, and the origin of each value. */
export const configCommands = [
  defineCommand({
    name: 'config',
    summary: 'show the configuration in force',
    description:
      'Show every value of the configuration and its origin: default, file, env (a variable) or flag. Later ones override earlier ones. Also show which file is in force, and why.',
    examples: {
      'ambit config': 'the configuration in force in this folder',
      'AMBIT_PORT=8080 ambit config': 'with a value from a variable',
    },
    async run(context, flags) {
      const { print } = context;
      const config = await context.loadConfig(flags);
      const values = context.valuesOf(config) ?? [];
      const { file, scope } = config;
      if (print.json) print.document({ configuration: { file: file ?? null, ...scope }, values });
      else
        print.lines(
          ...table(
            values.map(({ key, value, origin }) => [key, origin, valueText(value)]),
            Number.POSITIVE_INFINITY,
          ),
        );
      if (!print.json) print.note(printableLine(`Configuration: ${scopeText(config)}.`));
      print.note(...(await warnings(context, config)));
      const daemon = await daemonText(config.dataDir);
      if (daemon !== undefined) print.note(printableLine(daemon));
      if (file === undefined) print.note(printableLine(`To configure it, create ${editableFile(config)}.`));
    },
  }),
  defineCommand({
    name: 'config reload',
    summary: 'reload the configuration of the daemon',
    description:
      'Reload the configuration of the daemon that uses the data directory, and print what changed. The daemon applies the flags and variables that it was started with. Running calls are not affected. If the configuration is invalid or needs a restart, the command changes nothing and exits with 2.',
    examples: {
      'ambit config reload': 'the daemon of this folder',
      'ambit config reload --config /etc/ambit.yaml': 'the daemon of another configuration',
    },
    async run(context, flags) {
      const { print } = context;
      const config = await context.loadConfig(flags);
      const report = await reloadDaemon(config);
      if (report.outcome === 'refused')
        throw new ConfigError([...report.issues, 'the daemon continues with its current configuration']);
      if (print.json) print.document(report);
      else print.lines(...reloadText(report));
      print.note(...(await warnings(context, config)));
    },
  }),
];

/** The changes of a reload, in words. */
export function reloadText({ outcome, changed }: ReloadResult): string[] {
  if (outcome === 'unchanged') return ['No changes.'];
  const names = changed.map((key) => (key === 'file' ? 'configuration file (new)' : printable(key)));
  return ['Reloaded. Changed:', ...names.map((name) => `  ${name}`)];
}

/** Folders and skills that the configuration names and that do not exist, and limits that skills do not get. */
async function warnings({ terminal }: CommandContext, config: Config): Promise<string[]> {
  const { catalogOf, policyOf } = await import('@ambit/server/local');
  const catalog = catalogOf(config, terminal.env);
  try {
    const found = await foundSkills(catalog);
    const limits = limitWarnings(policyOf(config), found.skills);
    const all = [...(await skillWarnings(config, found)), ...limits];
    return all.map((warning) => printableLine(`warning: ${warning}`));
  } finally {
    await catalog.close();
  }
}
