import { Capabilities } from '../capability/capabilities.ts';
import { items } from '../capability/items.ts';
import type { NetworkRule } from '../egress/network-rule.ts';
import { type Evidence, together } from './observed.ts';
import { type Wish, wishFor } from './wish.ts';

/** A wish with what is known about it. */
export interface Wished extends Wish, Evidence {
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
export function joined(wishes: readonly Wished[]): Wished[] {
  const merged: Wished[] = [];
  for (const wish of wishes) {
    const at = merged.findIndex((each) => isAlike(each, wish) && union(each, wish) !== undefined);
    const other = merged[at];
    const both = other && union(other, wish);
    if (other === undefined || both === undefined) merged.push(wish);
    else merged[at] = withEvidence({ ...other, ...both }, wish);
  }
  return merged
    .filter((wish) => !merged.some((each) => absorbs(merged, each, wish)))
    .map((wish) => merged.filter((each) => absorbs(merged, wish, each)).reduce(withEvidence, wish));
}

/** Whether `wide` makes `narrow` unnecessary. Of two that cover each other, the first stays. */
function absorbs(all: readonly Wished[], wide: Wished, narrow: Wished): boolean {
  if (wide === narrow || !isAlike(wide, narrow) || !wide.item.covers(narrow.item)) return false;
  return !narrow.item.covers(wide.item) || all.indexOf(wide) < all.indexOf(narrow);
}

/** Whether the same places lack both, and both are equally broad. */
function isAlike(a: Wished, b: Wished): boolean {
  return (
    a.grant === b.grant &&
    a.broad === b.broad &&
    isSame([...a.scripts].map(String), [...b.scripts].map(String))
  );
}

function withEvidence(wish: Wished, more: Wished): Wished {
  return {
    ...wish,
    ...together(wish, more),
    from: wish.from === 'refusal' ? wish.from : more.from,
    warning: wish.warning ?? more.warning,
  };
}

/** One item that allows exactly what both allow; `undefined` if there is none. */
function union(a: Wish, b: Wish): Wish | undefined {
  const [secret, otherSecret] = [a.capabilities.secrets[0], b.capabilities.secrets[0]];
  if (secret !== undefined && otherSecret?.name === secret.name)
    return wishFor('secrets', { name: secret.name, hosts: all(secret.hosts, otherSecret.hosts) });
  const [rule, otherRule] = [a.capabilities.network[0], b.capabilities.network[0]];
  if (rule === undefined || otherRule === undefined) return undefined;
  const both = unionOfRules(rule, otherRule);
  return both === undefined ? undefined : wishFor('network', both);
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
export function capabilitiesOf(wishes: readonly Wish[]): Capabilities {
  const from = wishes.map(({ capabilities }) => capabilities);
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
export function includes(capabilities: Capabilities, { item }: Wish): boolean {
  return items(capabilities).some(
    (each) =>
      each.covers(item) || (each.kind === item.kind && each.text === 'granted' && item.text !== 'workspace'),
  );
}
