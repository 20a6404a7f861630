import type { CapabilityKind } from './capabilities.ts';

/** One capability that a call asked for and does not get. */
export interface Denial {
  /** `run` is the right to run as a program of the host at all. */
  capability: CapabilityKind | 'run';
  /** The item as it was requested: a path, a host rule, a name. */
  requested: string;
  /** Which rule refused it. */
  reason: string;
  /** The line of configuration that would grant it, or what else to do; in words an agent can pass on. */
  remedy: string;
}

/** A denial, or nothing when the item is granted. */
export type Verdict = { reason: string; remedy: string } | undefined;

/** The line for `ambit.config.yaml` that grants `item` to a skill. */
export function grantLine(skillId: string, kind: CapabilityKind, item: string | undefined): string {
  const value = kind === 'state' || kind === 'memory' ? (item ?? 'read') : `[${yamlScalar(item)}]`;
  const [group, key] = kind.split('.');
  const inner = key === undefined ? `${group}: ${value}` : `${group}: { ${key}: ${value} }`;
  return `grants: { ${yamlScalar(skillId)}: { ${inner} } }`;
}

function yamlScalar(text: string | undefined): string {
  if (text === undefined) return '…';
  // Already a flow mapping (a network rule or secret with its details), or a plain scalar that YAML reads as itself.
  if (text.startsWith('{') || /^[A-Za-z/][A-Za-z0-9/._-]*$/.test(text)) return text;
  return JSON.stringify(text);
}
