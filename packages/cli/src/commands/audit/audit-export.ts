import { UsageError } from '@ambit/core/outcome';
import { csvHeader, csvLine } from '@ambit/server/wire';
import { defineCommand } from '../../command/define-command.ts';
import { filterOf, filters } from './audit-flags.ts';

/** `ambit audit export`: prints every matching record, oldest first. */
export const auditExport = defineCommand({
  name: 'audit export',
  summary: 'print every matching record, oldest first',
  description:
    'Print every matching record to stdout, oldest first. Records added during the export are not included.',
  remote: true,
  options: {
    format: {
      value: 'format',
      text: 'print JSON lines or CSV',
      choices: ['ndjson', 'csv'],
      default: 'ndjson',
    },
  },
  inherited: filters,
  examples: {
    'ambit audit export > audit.ndjson': 'the whole log',
    'ambit audit export --format csv --since 30d': 'the last 30 days, for a spreadsheet',
  },
  async run({ client, loadConfig, readerGone, print }, flags) {
    if (print.json && flags.format === 'csv')
      throw new UsageError('--json and --format csv contradict each other: omit one of them');
    const { audit } = await client(await loadConfig(flags));
    if (flags.format === 'csv') print.skillOutput(csvHeader);
    for await (const record of audit.export(filterOf(flags))) {
      if (readerGone.aborted) break;
      if (flags.format === 'csv') print.skillOutput(csvLine(record));
      else print.jsonLine(record);
    }
  },
});
