import { type Capabilities, type CapabilityKind, capabilityKinds, type NetworkRule } from './capabilities.ts';
import { liesWithin } from './filesystem.ts';
import { ruleIncludes, ruleText } from './network.ts';

/** One thing that is requested, granted or denied, and what of the same kind it includes. */
export interface Item {
  kind: CapabilityKind;
  text: string;
  covers: (other: Item) => boolean;
  /** Only network items and secrets have rules: the hosts that they speak of. */
  rules: readonly NetworkRule[];
}

/** Capabilities taken apart, in the order of their kinds. */
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
        covers: (other) => other.kind === kind && other.rules.every((wish) => ruleIncludes(rule, wish)),
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
    default:
      return kind satisfies never;
  }
}

/** `text` starts with the name, which is what makes two secrets the same one. */
function secretItem(kind: 'secrets', { name, hosts }: Capabilities['secrets'][number]): Item {
  const prefix = `{ name: ${name}, `;
  return {
    kind,
    text: `${prefix}hosts: [${hosts.map((host) => JSON.stringify(host)).join(', ')}] }`,
    rules: hosts,
    covers: (other) =>
      other.kind === kind &&
      other.text.startsWith(prefix) &&
      other.rules.every((wish) => hosts.some((host) => ruleIncludes(host, wish))),
  };
}

/** A grant to write is one to read as well: the same bytes are reached either way. */
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
