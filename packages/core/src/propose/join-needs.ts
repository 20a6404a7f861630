import { Capabilities } from '../capability/capabilities.ts';
import { items } from '../capability/items.ts';
import type { NetworkRule } from '../egress/network-rule.ts';
import { type Need, needFor } from './need.ts';
import { type Evidence, together } from './observed.ts';

/** A need with what is known about it. */
export interface KnownNeed extends Need, Evidence {
  from: 'refusal' | 'output' | 'script';
  grant: boolean;
  /** Runs whose request lacks it. */
  scripts: Set<string | null>;
  warning: string | null;
  broad: boolean;
}

/**
 * Joins items into the fewest that allow the same and nothing more: repeated and contained paths, rules for one host, and
 * secrets with one name. A broad item absorbs nothing, so that it can be left out.
 */
export function joinNeeds(needs: readonly KnownNeed[]): KnownNeed[] {
  const merged: KnownNeed[] = [];
  for (const need of needs) {
    const at = merged.findIndex((each) => isAlike(each, need) && union(each, need) !== undefined);
    const other = merged[at];
    const both = other && union(other, need);
    if (other === undefined || both === undefined) merged.push(need);
    else merged[at] = withEvidence({ ...other, ...both }, need);
  }
  return merged
    .filter((need) => !merged.some((each) => absorbs(merged, each, need)))
    .map((need) => merged.filter((each) => absorbs(merged, need, each)).reduce(withEvidence, need));
}

/** Whether `wide` makes `narrow` unnecessary. Of two that cover each other, the first stays. */
function absorbs(all: readonly KnownNeed[], wide: KnownNeed, narrow: KnownNeed): boolean {
  if (wide === narrow || !isAlike(wide, narrow) || !wide.item.covers(narrow.item)) return false;
  return !narrow.item.covers(wide.item) || all.indexOf(wide) < all.indexOf(narrow);
}

/** Whether the same places lack both, and both are equally broad. */
function isAlike(a: KnownNeed, b: KnownNeed): boolean {
  return (
    a.grant === b.grant &&
    a.broad === b.broad &&
    isSame([...a.scripts].map(String), [...b.scripts].map(String))
  );
}

function withEvidence(need: KnownNeed, more: KnownNeed): KnownNeed {
  return {
    ...need,
    ...together(need, more),
    from: need.from === 'refusal' ? need.from : more.from,
    warning: need.warning ?? more.warning,
  };
}

/** One item that allows exactly what both allow; `undefined` if there is none. */
function union(a: Need, b: Need): Need | undefined {
  const [secret, otherSecret] = [a.capabilities.secrets[0], b.capabilities.secrets[0]];
  if (secret !== undefined && otherSecret?.name === secret.name)
    return needFor('secrets', { name: secret.name, hosts: all(secret.hosts, otherSecret.hosts) });
  const [rule, otherRule] = [a.capabilities.network[0], b.capabilities.network[0]];
  if (rule === undefined || otherRule === undefined) return undefined;
  const both = unionOfRules(rule, otherRule);
  return both === undefined ? undefined : needFor('network', both);
}

/** Rules for one host that differ only in their methods, or only in their paths. */
function unionOfRules(a: NetworkRule, b: NetworkRule): NetworkRule | undefined {
  if (typeof a === 'string' || typeof b === 'string' || a.host !== b.host) return undefined;
  if (isSame(a.methods, b.methods) && a.paths && b.paths) return { ...a, paths: all(a.paths, b.paths) };
  if (isSame(a.paths, b.paths) && a.methods && b.methods) return { ...a, methods: all(a.methods, b.methods) };
  return undefined;
}

function isSame(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return JSON.stringify(a?.toSorted()) === JSON.stringify(b?.toSorted());
}

function all(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}

/** All items together. */
export function capabilitiesOf(needs: readonly Need[]): Capabilities {
  const from = needs.map(({ capabilities }) => capabilities);
  const lists = (key: 'network' | 'env' | 'secrets' | 'exec') => from.flatMap((each) => each[key] as never[]);
  const paths = (mode: 'read' | 'write') => from.flatMap(({ filesystem }) => filesystem[mode]);
  return Capabilities.parse({
    filesystem: { read: paths('read'), write: paths('write') },
    network: lists('network'),
    env: lists('env'),
    secrets: lists('secrets'),
    exec: lists('exec'),
    state: from.some(({ state }) => state === 'write')
      ? 'write'
      : from.some(({ state }) => state === 'read')
        ? 'read'
        : 'none',
    memory: from.some(({ memory }) => memory === 'read') ? 'read' : 'none',
  });
}

/** Whether `capabilities` include an item, counting `granted` as what the operator will grant of that kind. */
export function includes(capabilities: Capabilities, { item }: Need): boolean {
  return items(capabilities).some(
    (each) =>
      each.covers(item) || (each.kind === item.kind && each.text === 'granted' && item.text !== 'workspace'),
  );
}
