import type { CallRecord } from '../audit/call-record-schema.ts';
import type { Capabilities } from '../capability/capabilities.ts';
import { type Item, items } from '../capability/items.ts';
import { type NetworkRule, ruleIncludes } from '../egress/network-rule.ts';
import type { UsedCapabilities, UsedItems } from '../outcome/used.ts';
import { needFor } from './need.ts';
import type { Proposal } from './proposal.ts';

/**
 * Items of a grant that no recorded run used. Empty without runs, and for a kind whose use any of
 * the runs leaves open.
 */
export function unusedItems(granted: Capabilities, records: readonly CallRecord[]): Proposal['unused'] {
  const runs = records.flatMap(({ capabilities, used }) =>
    capabilities.granted === null ? [] : [{ had: items(capabilities.granted), used }],
  );
  if (runs.length === 0 || runs.some(({ used }) => !used)) return [];
  return items(granted)
    .filter((item) => {
      // A narrowed call could not use what it did not have.
      const had = runs.filter((run) => run.had.some((each) => each.covers(item) || item.covers(each)));
      return had.length > 0 && had.every(({ used }) => used && isUnused(item, used));
    })
    .map(({ kind, text }) => ({ capability: kind, item: text }));
}

function isUnused(item: Item, used: UsedCapabilities): boolean {
  const { kind } = item;
  // The use of a user's rights by a program is not observed.
  if (kind === 'host') return false;
  if (kind === 'state' || kind === 'memory') return used[kind] !== null && isLess(used[kind], item.text);
  const list: UsedItems =
    kind === 'filesystem.read'
      ? used.filesystem.read
      : kind === 'filesystem.write'
        ? used.filesystem.write
        : used[kind];
  if (list === null || used.unlisted.some(({ capability }) => capability === kind)) return false;
  return !list.some((each) => uses(item, each.item));
}

/** Records name a secret without its hosts. */
function uses(item: Item, used: string): boolean {
  if (item.kind === 'secrets') return item.text.startsWith(`{ name: ${used}, `);
  // Uses have no method and no path: any rule for the host may have allowed them.
  if (item.kind === 'network') return item.rules.some((rule) => ruleIncludes(hostOf(rule), used));
  const need = needFor(item.kind, used);
  return need === undefined ? item.text === used : item.covers(need.item);
}

function hostOf(rule: NetworkRule): string {
  return typeof rule === 'string' ? rule : rule.host;
}

const levels = ['none', 'read', 'write'];

function isLess(used: string, granted: string): boolean {
  return levels.indexOf(used) < levels.indexOf(granted);
}
