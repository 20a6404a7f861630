import { entryPoints, type RecordFilter } from '@ambit/core/audit';
import { Tier } from '@ambit/core/execute';
import { outcomeFilters } from '@ambit/core/outcome';
import { defineOptions, type FlagsOf } from '../../command/define-command.ts';
import { time } from '../../command/times.ts';

/** The filters of `ambit audit`. They also work after its subcommands. */
export const filters = defineOptions({
  skill: { value: 'id', text: 'show only calls of this skill' },
  actor: { value: 'name', text: 'show only calls of this caller' },
  outcome: { value: 'outcome', text: 'show only calls with this outcome', choices: outcomeFilters },
  tier: { value: 'tier', text: 'show only calls of skills in this tier', choices: Tier.options },
  via: { value: 'via', text: 'show only calls from this entry point', choices: entryPoints },
  denied: { value: 'capability', text: 'show only calls that were denied this capability, such as network' },
  since: { value: 'time', text: 'show only calls since this time: 2026-01-31, 30m, 7d', parse: time },
  until: { value: 'time', text: 'show only calls before this time', parse: time },
  text: {
    value: 'text',
    text: 'show only calls whose stored input or output contains this, ignoring case',
  },
  parent: { value: 'id', text: 'show only the calls of this chain', completes: 'execution' },
  node: { value: 'name', text: 'show only calls at this node of a cluster' },
});

/** The filter for these flags. */
export function filterOf(flags: FlagsOf<typeof filters>): RecordFilter {
  // The commands also have other flags.
  const { skill, actor, outcome, tier, via, denied, since, until, text, parent, node } = flags;
  const found = { skill, actor, outcome, tier, via, denied, since, until, text, parentId: parent, node };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
