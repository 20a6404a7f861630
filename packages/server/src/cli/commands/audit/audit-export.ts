import { UsageError } from '@ambit/core/outcome';
import { type Command, Option } from 'commander';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
import { type CommandContext, examples, flagsOf } from '../../command/command-context.ts';
import { type FilterFlags, filterOf } from './audit-flags.ts';

/** `ambit audit export`: prints every matching record, oldest first. */
export function addAuditExport(audit: Command, context: CommandContext): void {
  audit
    .command('export')
    .summary('print every matching record, oldest first')
    .description(
      'Print every matching record to stdout, oldest first. Records added during the export are not included.',
    )
    .addOption(
      new Option('--format <format>', 'print JSON lines or CSV').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .addHelpText(
      'after',
      examples(
        ['ambit audit export > audit.ndjson', 'the whole log'],
        ['ambit audit export --format csv --since 30d', 'the last 30 days, for a spreadsheet'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<FilterFlags & { format: 'ndjson' | 'csv' }>(context, command);
      if (print.json && flags.format === 'csv')
        throw new UsageError('--json and --format csv contradict each other: omit one of them');
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
