import { readTime, timeForms } from '@ambit/api';
import { entryPoints, type RecordFilter } from '@ambit/core/audit';
import { Tier } from '@ambit/core/execute';
import { outcomeFilters } from '@ambit/core/outcome';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The filters of the commands that show records. */
export interface FilterFlags extends Omit<RecordFilter, 'executionId' | 'parentId'> {
  /** `parentId` of the filter. */
  parent?: string;
}

/** Adds the filters to `ambit audit`. They also work after its subcommands. */
export function addFilters(command: Command): Command {
  return command
    .option('--skill <id>', 'show only calls of this skill')
    .option('--actor <name>', 'show only calls of this caller')
    .addOption(new Option('--outcome <outcome>', 'show only calls with this outcome').choices(outcomeFilters))
    .addOption(new Option('--tier <tier>', 'show only calls of skills in this tier').choices(Tier.options))
    .addOption(new Option('--via <via>', 'show only calls from this entry point').choices(entryPoints))
    .option('--denied <capability>', 'show only calls that were denied this capability, such as network')
    .option('--since <time>', 'show only calls since this time: 2026-01-31, 30m, 7d', time)
    .option('--until <time>', 'show only calls before this time', time)
    .option('--text <text>', 'show only calls whose stored input or output contains this, ignoring case')
    .option('--parent <id>', 'show only the calls of this chain')
    .option('--node <name>', 'show only calls at this node of a cluster');
}

/** The filter for these flags. */
export function filterOf(flags: FilterFlags): RecordFilter {
  // The commands also have other flags.
  const { skill, actor, outcome, tier, via, denied, since, until, text, parent, node } = flags;
  const filters = { skill, actor, outcome, tier, via, denied, since, until, text, parentId: parent, node };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function time(text: string): number {
  const read = readTime(text, Date.now());
  if (read === undefined)
    throw new InvalidArgumentError(`${timeForms[0]?.toUpperCase()}${timeForms.slice(1)}.`);
  return read;
}
