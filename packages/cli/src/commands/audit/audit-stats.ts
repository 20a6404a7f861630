import { readSpan } from '@ambit/api';
import type { AuditStats, CallStats, StatsQuery } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import { defineCommand, defineOptions, type FlagsOf } from '../../command/define-command.ts';
import type { Printer } from '../../output/printer.ts';
import { table } from '../../output/table.ts';
import { filters } from './audit-flags.ts';

const bucketsMax = 2000;
const hourMs = 3_600_000;

const options = defineOptions({
  by: { value: 'what', text: 'print a line per skill or per period', choices: ['skill', 'time'] },
  bucket: { value: 'span', text: 'set the length of a period: 5m, 1h, 1d (default: 1h)', parse: span },
});
type StatsFlags = FlagsOf<typeof options & typeof filters>;

/** `ambit audit stats`: statistics of calls. */
export const auditStats = defineCommand({
  name: 'audit stats',
  summary: 'show statistics of calls',
  description:
    'Show the numbers of calls, errors, denials and running calls, and percentiles of the run time. --skill, --since and --until select the calls.',
  remote: true,
  options,
  inherited: filters,
  examples: {
    'ambit audit stats --since 1d': 'the last day',
    'ambit audit stats --by skill --since 7d': 'a line per skill',
    'ambit audit stats --by time --since 1d --skill csv-profile': 'one skill, hour by hour',
  },
  async run({ client, loadConfig, print }, flags) {
    const query = queryOf(flags);
    const { audit } = await client(await loadConfig(flags));
    const stats = await audit.stats(query);
    if (print.json) print.document(stats);
    else print.lines(...statsText(print, stats, flags.by));
  },
});

function queryOf({ skill, since, until, by, bucket = hourMs }: StatsFlags): StatsQuery {
  const query = { skill: skill || undefined, since, until };
  if (by !== 'time') return query;
  if (since === undefined) throw new UsageError('--by time needs a start: add --since, such as --since 1d');
  if (((until ?? Date.now()) - since) / bucket > bucketsMax)
    throw new UsageError(`--by time would print more than ${bucketsMax} lines; raise --bucket`);
  return { ...query, bucketMs: bucket };
}

function span(text: string): number {
  const read = readSpan(text);
  if (read === undefined) throw new UsageError('Write a number and s, m, h, d or w, such as 30m.');
  return read;
}

function statsText(print: Printer, { all, bySkill, overTime }: AuditStats, by: StatsFlags['by']): string[] {
  const rows =
    by === 'skill'
      ? bySkill.map((stats) => row(stats.skill, stats))
      : overTime.map((stats) => row(new Date(stats.since).toISOString(), stats));
  const [first, ...columns] = ['CALLS', 'ERRORS', 'DENIED', 'RUNNING', 'P50 MS', 'P95 MS', 'P99 MS'];
  const name = by === undefined ? 'ALL' : by.toUpperCase();
  const [head = '', ...lines] = table(
    [[name, first ?? '', ...columns], ...rows, row('all', all)],
    print.width,
  );
  return [print.style('bold', head), ...lines];
}

function row(name: string, { calls, errors, denied, running, durationMs }: CallStats): string[] {
  const times =
    durationMs === null ? ['-', '-', '-'] : [durationMs.p50, durationMs.p95, durationMs.p99].map(rounded);
  return [name, ...[calls, errors, denied, running].map(String), ...times];
}

function rounded(milliseconds: number): string {
  return milliseconds < 10 ? milliseconds.toFixed(1) : String(Math.round(milliseconds));
}
