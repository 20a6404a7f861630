import type { AmbitClient } from '@ambit/client';
import {
  type AuditPage,
  type CallRecord,
  isCallEvent,
  type RecordFilter,
  recordFits,
} from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import { Denial } from '@ambit/core/policy';
import { firstKeyName, programActor } from '@ambit/server/auth';
import { onInterrupt } from '@ambit/server/signals';
import { type CommandContext, defineCommand } from '../../command/define-command.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { table } from '../../output/table.ts';
import { auditExport } from './audit-export.ts';
import { filterOf, filters } from './audit-flags.ts';
import { auditProofCommands } from './audit-proofs.ts';
import { auditRetentionCommands } from './audit-retention.ts';
import { auditShow } from './audit-show.ts';
import { auditStats } from './audit-stats.ts';
import { recordHeader, recordRow } from './record-row.ts';

/** `ambit audit`, which lists calls, and the commands below it. */
export const auditCommands = [
  defineCommand({
    name: 'audit',
    summary: 'query the audit log',
    description:
      'List calls, newest first, with or without a running daemon. With --json, print complete records.',
    remote: true,
    options: {
      ...filters,
      limit: { value: 'n', text: 'show at most this many calls, up to 1000', parse: count, default: 20 },
      follow: { text: 'also print each further call when it ends, until Ctrl-C; with --json, one per line' },
    },
    examples: {
      'ambit audit': 'the last 20 calls',
      'ambit audit --skill csv-profile --limit 1 --json': 'the complete record of the last one',
      'ambit audit --outcome denied --since 1d': 'refused calls of the last day',
      'ambit audit --follow --denied network': 'calls that are denied the network, as they end',
    },
    async run(context, flags) {
      const { print } = context;
      const { audit } = await context.client(await context.loadConfig(flags));
      const filter = filterOf(flags);
      const page = await newest(audit, filter, flags.limit);
      if (flags.follow === true) await follow(audit, filter, page, context);
      else if (print.json) print.document(page);
      else {
        print.lines(...auditText(print, page));
        if (page.records.length === 0) print.note(...filterHints(filter));
      }
    },
  }),
  auditShow,
  auditStats,
  auditExport,
  ...auditRetentionCommands,
  ...auditProofCommands,
];

/** The largest page of the HTTP API. */
const pageMax = 200;

/** The newest matching records, which can be more than a page. */
async function newest(audit: AmbitClient['audit'], filter: RecordFilter, limit: number): Promise<AuditPage> {
  const records: CallRecord[] = [];
  for (let before: number | undefined; ; ) {
    const page = await audit.page({ ...filter, before, limit: Math.min(pageMax, limit - records.length) });
    records.push(...page.records);
    if (page.next === null || page.partial || records.length >= limit) return { ...page, records };
    before = page.next;
  }
}

/** An execution id fits, so that it can be copied. */
const detailMin = 36;

function count(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000) return Number(text);
  throw new UsageError('Write a whole number from 1 to 1000.');
}

function auditText(print: Printer, { records, next, partial }: AuditPage): string[] {
  const more =
    partial === true
      ? [
          'The search was stopped because it took too long. There may be older calls: narrow it, for example with --since.',
        ]
      : ['There are older calls: raise --limit.'];
  if (records.length === 0) return next === null ? ['No matching calls.'] : more;
  const [head = '', ...lines] = table([recordHeader, ...records.map(recordRow)], print.width, detailMin);
  return [print.style('bold', head), ...lines, ...(next === null ? [] : more)];
}

/** Values of filters that no record has. */
function filterHints({ denied, actor }: RecordFilter): string[] {
  const kinds = Denial.shape.capability.options;
  return [
    ...(denied === undefined || kinds.some((kind) => kind === denied)
      ? []
      : [`--denied ${printableLine(denied)} is not a capability; capabilities: ${kinds.join(', ')}`]),
    ...(actor === firstKeyName ? [`In the log, the first key is the actor "${programActor.firstKey}".`] : []),
  ];
}

/** Prints the page, oldest first, and then each matching call when it ends. */
async function follow(
  audit: AmbitClient['audit'],
  filter: RecordFilter,
  { records }: AuditPage,
  { terminal, readerGone, print }: CommandContext,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, readerGone]);
  const ignoreInterrupt = onInterrupt(terminal, () => stop.abort());
  const show = (record: AuditPage['records'][number]): void =>
    print.json ? print.jsonLine(record) : print.lines(...table([recordRow(record)], print.width, detailMin));
  if (print.json) for (const record of records.toReversed()) show(record);
  else print.lines(...table([recordHeader, ...records.toReversed().map(recordRow)], print.width, detailMin));
  try {
    for await (const { event } of audit.follow({ signal })) {
      if (!isCallEvent(event) || event.kind === 'call.started') continue;
      const [record] = (await audit.page({ executionId: event.executionId, limit: 1 })).records;
      if (record !== undefined && recordFits(record, filter)) show(record);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ignoreInterrupt();
  }
}
