import type { CallRecord, Denial } from '@ambit/client';

type ItemSet = NonNullable<CallRecord['capabilities']['requested']>;

/** One item of a capability, with everything that the record says about it. */
export interface CapabilityRow {
  capability: string;
  item: string;
  isRequested: boolean;
  isGranted: boolean;
  /** `3 times`, `unknown`; `undefined`: not used. */
  used: string | undefined;
  denial: Denial | undefined;
}

/** The items of a call: requested ones first, then items that were only used or refused. */
export function capabilityRows({ capabilities, used }: CallRecord): CapabilityRow[] {
  const rows = new Map<string, CapabilityRow>();
  const rowOf = (capability: string, item: string): CapabilityRow => {
    const key = `${capability} ${item}`;
    const row = rows.get(key) ?? {
      capability,
      item,
      isRequested: false,
      isGranted: false,
      used: undefined,
      denial: undefined,
    };
    rows.set(key, row);
    return row;
  };
  for (const [capability, item] of itemsOf(capabilities.requested))
    rowOf(capability, item).isRequested = true;
  for (const [capability, item] of itemsOf(capabilities.granted)) rowOf(capability, item).isGranted = true;
  for (const denial of capabilities.denied) rowOf(denial.capability, denial.requested).denial = denial;
  if (used === undefined) return [...rows.values()];
  const lists = {
    'filesystem.read': used.filesystem.read,
    'filesystem.write': used.filesystem.write,
    network: used.network,
    env: used.env,
    secrets: used.secrets,
    exec: used.exec,
    'host function': used.functions,
  };
  for (const [capability, items] of Object.entries(lists)) {
    for (const { item, count } of items ?? []) rowOf(capability, item).used = times(count);
    if (items === null)
      for (const row of rows.values())
        if (row.capability === capability && row.isGranted) row.used = 'unknown';
  }
  for (const [capability, level] of [
    ['state', used.state],
    ['memory', used.memory],
  ] as const)
    if (level !== null && level !== 'none') rowOf(capability, level).used = 'yes';
  return [...rows.values()];
}

/** Each item of a set of capabilities as a pair of its kind and its text. */
function itemsOf(set: ItemSet | null): [string, string][] {
  if (set === null) return [];
  const items = [
    ...set.filesystem.read.map((path): [string, string] => ['filesystem.read', path]),
    ...set.filesystem.write.map((path): [string, string] => ['filesystem.write', path]),
    ...set.network.map((rule): [string, string] => [
      'network',
      typeof rule === 'string' ? rule : ruleText(rule),
    ]),
    ...set.env.map((name): [string, string] => ['env', name]),
    ...set.secrets.map(({ name, hosts }): [string, string] => ['secrets', `${name} for ${hosts.join(', ')}`]),
    ...set.exec.map((program): [string, string] => ['exec', program]),
  ];
  if (set.state !== 'none') items.push(['state', set.state]);
  if (set.host === true) items.push(['host', 'true']);
  if (set.memory !== 'none') items.push(['memory', set.memory]);
  return items;
}

function ruleText({ host, methods, paths }: Exclude<ItemSet['network'][number], string>): string {
  return [methods?.join(', '), host, paths?.join(', ')].filter((part) => part !== undefined).join(' ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
