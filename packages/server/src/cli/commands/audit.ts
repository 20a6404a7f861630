import { type AuditPage, type CallRecord, recordOutcomes } from '@ambit/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Printer } from '../printer.ts';
import { table } from '../text/table.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

interface AuditFlags {
  skill?: string;
  outcome?: CallRecord['outcome'];
  limit: number;
}

/** `ambit audit`: the log, newest first. */
export function addAudit(program: Command, context: CommandContext): void {
  program
    .command('audit')
    .summary('show the log of calls')
    .description(
      'Shows the record of each call, newest first, with or without a daemon. With --json a record is whole.',
    )
    .option('--skill <id>', 'only calls of this skill')
    .addOption(new Option('--outcome <outcome>', 'only calls that ended so').choices(recordOutcomes))
    .option('--limit <n>', 'at most this many, up to 1000', count, 20)
    .addHelpText(
      'after',
      examples(
        ['ambit audit', 'the last 20 calls'],
        ['ambit audit --skill csv-profile --limit 1 --json', 'all that is known of the last one'],
        ['ambit audit --outcome denied', 'what was refused'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<AuditFlags>(context, command);
      const log = await context.actions.openAudit(await context.actions.loadConfig(flags));
      try {
        const { skill, outcome, limit } = flags;
        const page = await log.query({ ...(skill && { skill }), ...(outcome && { outcome }), limit });
        if (print.json) print.document(page);
        else print.lines(...auditText(print, page));
      } finally {
        await log.close();
      }
    });
}

function count(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000) return Number(text);
  throw new InvalidArgumentError('Write a whole number, 1 to 1000.');
}

function auditText(print: Printer, { records, next }: AuditPage): string[] {
  if (records.length === 0) return ['No calls are recorded that fit.'];
  const rows = records.map((record) => [
    String(record.sequence),
    record.startedAt,
    record.door,
    record.outcome,
    record.usage === null ? '-' : `${Math.round(record.usage.durationMs)} ms`,
    record.skill?.id ?? record.request ?? '-',
    detail(record),
  ]);
  const header = ['SEQUENCE', 'STARTED', 'DOOR', 'OUTCOME', 'TOOK', 'SKILL', 'DETAIL'];
  const [head = '', ...lines] = table([header, ...rows], print.width);
  return [
    print.style('bold', head),
    ...lines,
    ...(next === null ? [] : ['There are older ones: raise --limit.']),
  ];
}

/** Why it ended as it did; the execution's id where there is no more to say. */
function detail({ error, failure, capabilities: { denied }, outcome, executionId }: CallRecord): string {
  if (error !== null) return error.code;
  if (outcome === 'capability-violated' && denied.length > 0)
    return denied.map(({ capability, requested }) => `${capability} ${requested}`).join(', ');
  if (failure === null) return executionId;
  return Object.entries(failure)
    .map(([what, value]) => `${what} ${value}`)
    .join('');
}
