import { type Command, Option } from 'commander';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';
import { type FilterFlags, filterOf } from './audit-flags.ts';

/** `ambit audit export`: every record that fits, oldest first, to stdout. */
export function addAuditExport(audit: Command, context: CommandContext): void {
  audit
    .command('export')
    .summary('print every record that fits, oldest first')
    .description('Prints every record that fits to stdout, oldest first, as the log stands when it begins.')
    .addOption(
      new Option('--format <format>', 'one JSON document a line, or a table')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      examples(
        ['ambit audit export > audit.ndjson', 'all of it'],
        ['ambit audit export --format csv --since 30d', 'the last thirty days, for a sheet'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<FilterFlags & { format: 'ndjson' | 'csv' }>(context, command);
      if (print.json && flags.format === 'csv')
        throw new CliError('USAGE_INVALID', '--json prints JSON: leave out --json or --format csv');
      const log = await context.actions.openAudit(await context.actions.loadConfig(flags));
      try {
        if (flags.format === 'csv') print.skillOutput(csvHeader);
        for await (const record of log.export(filterOf(flags))) {
          if (context.readerGone.aborted) break;
          if (flags.format === 'csv') print.skillOutput(csvLine(record));
          else print.jsonLine(record);
        }
      } finally {
        await log.close();
      }
    });
}
