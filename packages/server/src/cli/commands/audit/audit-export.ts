import { type Command, Option } from 'commander';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
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
      const { flags } = flagsOf<FilterFlags & { format: 'ndjson' | 'csv' }>(context, command);
      const log = await context.actions.openAudit(await context.actions.loadConfig(flags));
      const { stdout } = context.terminal;
      try {
        if (flags.format === 'csv') stdout.write(csvHeader);
        for await (const record of log.export(filterOf(flags))) {
          if (context.readerGone.aborted) break;
          stdout.write(flags.format === 'csv' ? csvLine(record) : `${JSON.stringify(record)}\n`);
        }
      } finally {
        await log.close();
      }
    });
}
