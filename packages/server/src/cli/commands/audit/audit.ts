import { type AuditPage, isCallEvent, type RecordFilter, recordFits } from '@ambit/core/internal';
import { type Command, InvalidArgumentError } from 'commander';
import type { AuditSource } from '../../actions/actions.ts';
import type { Printer } from '../../printer.ts';
import { onInterrupt } from '../../terminal.ts';
import { recordHeader, recordRow } from '../../text/record-row.ts';
import { table } from '../../text/table.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';
import { addAuditExport } from './audit-export.ts';
import { addFilters, type FilterFlags, filterOf } from './audit-flags.ts';
import { addAuditProofs } from './audit-proofs.ts';
import { addAuditRetention } from './audit-retention.ts';
import { addAuditShow } from './audit-show.ts';
import { addAuditStats } from './audit-stats.ts';

interface AuditFlags extends FilterFlags {
  limit: number;
  follow?: boolean;
}

/** `ambit audit`: the log, newest first; `export`, `stats` and `show` below it. */
export function addAudit(program: Command, context: CommandContext): void {
  const audit = addFilters(program.command('audit'))
    .summary('show the log of calls')
    .description(
      'Shows the record of each call, newest first, with or without a daemon. With --json a record is whole.',
    )
    .option('--limit <n>', 'at most this many, up to 1000', count, 20)
    .option('--follow', 'go on with each call as it ends, until Ctrl-C; with --json one record a line')
    .addHelpText(
      'after',
      examples(
        ['ambit audit', 'the last 20 calls'],
        ['ambit audit --skill csv-profile --limit 1 --json', 'all that is known of the last one'],
        ['ambit audit --outcome denied --since 1d', 'what was refused since yesterday'],
        ['ambit audit --follow --denied network', 'each call that is denied the network, as it ends'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<AuditFlags>(context, command);
      const log = await context.actions.openAudit(await context.actions.loadConfig(flags));
      try {
        const filter = filterOf(flags);
        const page = await log.query({ ...filter, limit: flags.limit });
        if (flags.follow === true) await follow(log, filter, page, print, context);
        else if (print.json) print.document(page);
        else print.lines(...auditText(print, page));
      } finally {
        await log.close();
      }
    });
  for (const add of [addAuditShow, addAuditStats, addAuditExport, addAuditRetention, addAuditProofs])
    add(audit, context);
}

function count(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000) return Number(text);
  throw new InvalidArgumentError('Write a whole number, 1 to 1000.');
}

function auditText(print: Printer, { records, next, partial }: AuditPage): string[] {
  const more =
    partial === true
      ? ['There may be older ones, which take long to find: narrow it down, with --since for one.']
      : ['There are older ones: raise --limit.'];
  if (records.length === 0) return next === null ? ['No calls are recorded that fit.'] : more;
  const [head = '', ...lines] = table([recordHeader, ...records.map(recordRow)], print.width);
  return [print.style('bold', head), ...lines, ...(next === null ? [] : more)];
}

/** The page in the order of time, and then each call that fits, once it has ended. */
async function follow(
  log: AuditSource,
  filter: RecordFilter,
  { records }: AuditPage,
  print: Printer,
  { terminal, readerGone }: CommandContext,
): Promise<void> {
  const stop = new AbortController();
  const ignoreInterrupt = onInterrupt(terminal, () => stop.abort());
  const show = (record: AuditPage['records'][number]): void =>
    print.json ? print.jsonLine(record) : print.lines(...table([recordRow(record)], print.width));
  if (print.json) for (const record of records.toReversed()) show(record);
  else print.lines(...table([recordHeader, ...records.toReversed().map(recordRow)], print.width));
  try {
    for await (const { event } of log.follow(AbortSignal.any([stop.signal, readerGone]))) {
      if (!isCallEvent(event) || event.kind === 'call.started') continue;
      const [record] = (await log.query({ executionId: event.executionId, limit: 1 })).records;
      if (record !== undefined && recordFits(record, filter)) show(record);
    }
  } finally {
    ignoreInterrupt();
  }
}
