import type { NetworkRule } from '../egress/network-rule.ts';
import { ruleIncludes, ruleText } from '../egress/network-rule.ts';
import { type Capabilities, type CapabilityKind, capabilityKinds } from './capabilities.ts';
import { liesWithin } from './filesystem.ts';

/** One requested, granted or denied capability: a path, a rule, a name or a level. */
export interface Item {
  kind: CapabilityKind;
  text: string;
  covers: (other: Item) => boolean;
  /** The hosts of a network item or a secret; empty for other kinds. */
  rules: readonly NetworkRule[];
}

/** Capabilities as items, in the order of their kinds. */
export function items(capabilities: Capabilities): Item[] {
  return capabilityKinds(capabilities).flatMap((kind) => itemsOf(capabilities, kind));
}

function itemsOf(
  { filesystem, network, secrets, state, memory, ...names }: Capabilities,
  kind: CapabilityKind,
): Item[] {
  switch (kind) {
    case 'filesystem.read':
      return filesystem.read.map((path) => pathItem(kind, path));
    case 'filesystem.write':
      return filesystem.write.map((path) => pathItem(kind, path));
    case 'network':
      return network.map((rule) => ({
        kind,
        text: ruleText(rule),
        rules: [rule],
        covers: (other) => other.kind === kind && other.rules.every((each) => ruleIncludes(rule, each)),
      }));
    case 'secrets':
      return secrets.map((secret) => secretItem(kind, secret));
    case 'env':
    case 'exec':
      return names[kind].map((name) => nameItem(kind, name));
    case 'state':
      return [levelItem(kind, state)];
    case 'memory':
      return [levelItem(kind, memory)];
    case 'host':
      return [nameItem(kind, 'true')];
    default:
      return kind satisfies never;
  }
}

/** Two secrets are the same if their texts start with the same name. */
function secretItem(kind: 'secrets', { name, hosts }: Capabilities['secrets'][number]): Item {
  const prefix = `{ name: ${name}, `;
  return {
    kind,
    text: `${prefix}hosts: [${hosts.map((host) => JSON.stringify(host)).join(', ')}] }`,
    rules: hosts,
    covers: (other) =>
      other.kind === kind &&
      other.text.startsWith(prefix) &&
      other.rules.every((each) => hosts.some((host) => ruleIncludes(host, each))),
  };
}

/** A grant to write includes reading. */
function pathItem(kind: 'filesystem.read' | 'filesystem.write', path: string): Item {
  return {
    kind,
    text: path,
    rules: [],
    covers: (other) => {
      if (other.kind !== kind && !(kind === 'filesystem.write' && other.kind === 'filesystem.read'))
        return false;
      return (
        other.text === path ||
        (path.startsWith('/') && other.text.startsWith('/') && liesWithin(other.text, path))
      );
    },
  };
}

function nameItem(kind: CapabilityKind, name: string): Item {
  return { kind, text: name, rules: [], covers: (other) => other.kind === kind && other.text === name };
}

/** `write` includes `read`. */
function levelItem(kind: CapabilityKind, level: string): Item {
  return {
    kind,
    text: level,
    rules: [],
    covers: (other) => other.kind === kind && (other.text === level || level === 'write'),
  };
}
