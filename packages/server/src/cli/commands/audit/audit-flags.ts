import { Tier } from '@ambit/core/execute';
import { entryPoints, type RecordFilter, recordOutcomes } from '@ambit/core/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readTime, timeForms } from '../../../wire/audit-time.ts';

/** What chooses records, in every command that shows some. */
export interface FilterFlags extends Omit<RecordFilter, 'executionId' | 'parentId'> {
  /** `parentId`, in a word that is quick to type. */
  parent?: string;
}

/** Adds the flags. They stand on `ambit audit`, and are understood after its subcommands too. */
export function addFilters(command: Command): Command {
  return command
    .option('--skill <id>', 'only calls of this skill')
    .option('--actor <name>', 'only calls of this caller')
    .addOption(new Option('--outcome <outcome>', 'only calls that ended so').choices(recordOutcomes))
    .addOption(new Option('--tier <tier>', 'only calls of skills of this tier').choices(Tier.options))
    .addOption(new Option('--via <via>', 'only calls from this entry point').choices(entryPoints))
    .option('--denied <capability>', 'only calls that were denied some of this, as network')
    .option('--since <time>', 'only calls from then on: 2026-01-31, 30m, 7d', time)
    .option('--until <time>', 'only calls before then', time)
    .option('--text <text>', 'only calls whose kept input or output holds this, in any case')
    .option('--parent <id>', 'only the links of this chain');
}

/** The filter that the flags mean. */
export function filterOf(flags: FilterFlags): RecordFilter {
  // The commands have flags of their own beside these.
  const { skill, actor, outcome, tier, via, denied, since, until, text, parent } = flags;
  const given = { skill, actor, outcome, tier, via, denied, since, until, text, parentId: parent };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function time(text: string): number {
  const read = readTime(text, Date.now());
  if (read === undefined)
    throw new InvalidArgumentError(`${timeForms[0]?.toUpperCase()}${timeForms.slice(1)}.`);
  return read;
}
