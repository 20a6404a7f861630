import { SkillError } from '../execute/skill-error.ts';
import type { ToolSkill } from '../skill/skill.ts';
import {
  type Capabilities,
  type CapabilityKind,
  capabilityKinds,
  type NetworkRule,
  noCapabilities,
} from './capabilities.ts';
import { type Denial, grantLine, type Verdict } from './denial.ts';
import { liesWithin, pathsOverlap } from './filesystem.ts';
import { type Limits, minimumLimits, type RequestedLimits } from './limits.ts';
import { ruleCovers, ruleOverlaps, ruleText } from './network.ts';
import type { Policy } from './policy.ts';
import { programsNamed } from './program-sets.ts';
import { withinCeiling } from './within-ceiling.ts';

const granted: unique symbol = Symbol('granted');

/**
 * Proof that policy has spoken, for one call of one skill. Only `grantCall` makes one, and no executor can be called
 * without one.
 */
export interface Grant {
  readonly [granted]: true;
  readonly skill: ToolSkill;
  /** What the call may touch; `granted` is replaced by the paths and hosts it stood for. */
  readonly capabilities: Capabilities;
  /**
   * The operator's own lines for host paths. A granted path, its links resolved, must still lie beneath one of them:
   * policy compares names, and only the executor can see where a name leads.
   */
  readonly hostRoots: { readonly read: readonly string[]; readonly write: readonly string[] };
  /**
   * The operator's deny rules for host paths, likewise to be held against where a granted path really leads.
   */
  readonly hostDenied: readonly string[];
  /** The operator's deny rules for the network, which win over what is granted at every single request. */
  readonly networkDenied: readonly NetworkRule[];
  readonly limits: Limits;
  /** Whether the caller, or the ceiling of its key, may have taken anything away. */
  readonly narrowed: boolean;
}

/** What a caller takes away from a call. An absent key takes nothing away; an empty list takes all of its kind. */
export interface Narrowing {
  readonly capabilities?: Partial<Omit<Capabilities, 'filesystem'>> & {
    readonly filesystem?: Partial<Capabilities['filesystem']>;
  };
  readonly limits?: RequestedLimits;
}

/**
 * The one place where policy speaks: `effective = requested ∩ tier ceiling ∩ operator grant ∩ caller's narrowing`
 * (design, section 4). Deny rules win over grants.
 *
 * Throws `CAPABILITY_DENIED` when anything requested is not granted, or the caller asks for more than it could have;
 * `details.denials` holds every missing capability with its reason and the line that would grant it. `most` is what the
 * caller may have of any skill: what lies beyond it is silently not granted, so that one ceiling does for many skills.
 */
export function grantCall(
  policy: Policy,
  skill: ToolSkill,
  narrowing: Narrowing = {},
  most?: Narrowing,
): Grant {
  const ceiling = policy.tiers[skill.tier];
  const operator = policy.grants.get(skill.id) ?? noCapabilities;
  const requested = withOperatorGrants(skill.run.capabilities, operator);
  const wished = withOperatorGrants(narrowed(requested, narrowing), operator);

  const denials: Denial[] = [];
  if (skill.run.runtime === 'process' && !ceiling.processSkills) {
    denials.push({
      capability: 'run',
      requested: 'process',
      reason: `skills of tier ${skill.tier} do not run as programs of the host`,
      remedy:
        'when you trust this source, give its folder a higher tier: skills: [{ path: …, tier: verified }]',
    });
  }
  for (const item of items(requested)) {
    const verdict = judge(policy, skill, operator, item);
    if (verdict !== undefined) denials.push({ capability: item.kind, requested: item.text, ...verdict });
  }
  if (denials.length > 0) throw denied(skill.id, denials);

  const widened = items(wished).filter((wish) => !items(requested).some((item) => item.covers(wish)));
  if (widened.length > 0) {
    throw denied(
      skill.id,
      widened.map(({ kind, text }) => ({
        capability: kind,
        requested: text,
        reason:
          'the caller asked for more than the skill requests and the operator grants; a caller can only narrow',
        remedy: 'leave it out of the call, or ask for something within what GET /skills/:id shows',
      })),
    );
  }

  return {
    [granted]: true,
    skill,
    capabilities: most === undefined ? wished : belowMost(wished, most, operator),
    hostRoots: { read: hostPaths(operator.filesystem.read), write: hostPaths(operator.filesystem.write) },
    hostDenied: hostPaths([...policy.deny.filesystem.read, ...policy.deny.filesystem.write]),
    networkDenied: policy.deny.network,
    limits: minimumLimits(
      ceiling.limits[skill.run.runtime],
      skill.run.limits,
      policy.limits,
      narrowing.limits ?? {},
      most?.limits ?? {},
    ),
    narrowed: takesAnything(narrowing) || takesAnything(most),
  };
}

/** One thing that is requested, granted or denied, and what of the same kind it includes. */
interface Item {
  kind: CapabilityKind;
  text: string;
  covers: (other: Item) => boolean;
  /** Only network items and secrets have rules: the hosts that they speak of. */
  rules: readonly NetworkRule[];
}

/** `granted` becomes what the operator granted; with nothing granted it stays, and is then denied by name. */
function withOperatorGrants(requested: Capabilities, operator: Capabilities): Capabilities {
  const expand = (mode: 'read' | 'write'): string[] =>
    requested.filesystem[mode].flatMap((path) => {
      const paths = path === 'granted' ? hostPaths(operator.filesystem[mode]) : [];
      return paths.length > 0 ? paths : [path];
    });
  const network = requested.network.flatMap((rule) =>
    rule === 'granted' && operator.network.length > 0 ? operator.network : [rule],
  );
  return { ...requested, filesystem: { read: expand('read'), write: expand('write') }, network };
}

function narrowed(requested: Capabilities, { capabilities = {} }: Narrowing): Capabilities {
  return {
    ...requested,
    ...capabilities,
    filesystem: { ...requested.filesystem, ...capabilities.filesystem },
  };
}

function belowMost(wished: Capabilities, most: Narrowing, operator: Capabilities): Capabilities {
  return withinCeiling(wished, withOperatorGrants(narrowed(wished, most), operator));
}

function takesAnything({ capabilities, limits }: Narrowing = {}): boolean {
  return capabilities !== undefined || limits !== undefined;
}

function judge(policy: Policy, skill: ToolSkill, operator: Capabilities, item: Item): Verdict {
  const ceiling = policy.tiers[skill.tier];
  const remedy = grantLine(skill.id, item.kind, item.text === 'granted' ? undefined : item.text);
  if ((item.kind === 'network' && !ceiling.network) || (item.kind === 'secrets' && !ceiling.secrets)) {
    return {
      reason: `tier ${skill.tier} allows no ${item.kind}`,
      remedy: `when you trust this source, give its folder a higher tier, then add ${remedy}`,
    };
  }
  const rule = items(policy.deny).find((deny) => deny.kind === item.kind && denies(deny, item));
  if (rule !== undefined) {
    return {
      reason: `denied by the rule ${rule.text}`,
      remedy: `remove deny rule ${item.kind}: ${rule.text}`,
    };
  }
  if (staysInside(item) && ceiling.insideAsRequested) return undefined;
  if (items(operator).some((grant) => grant.covers(item))) return undefined;
  return {
    reason:
      item.text === 'granted'
        ? `the operator has granted no ${item.kind === 'network' ? 'host' : 'path'}`
        : 'no grant covers it',
    remedy,
  };
}

function denies(rule: Item, item: Item): boolean {
  if (item.kind === 'network')
    return rule.rules.some((deny) => item.rules.some((wish) => ruleOverlaps(deny, wish)));
  if (item.text.startsWith('/') && rule.text.startsWith('/')) return pathsOverlap(rule.text, item.text);
  // A set is denied with any of its members: it cannot be had without.
  if (item.kind === 'exec') return programsNamed(item.text).programs.includes(rule.text) || rule.covers(item);
  return rule.covers(item);
}

/** Capabilities that end at the sandbox's own walls (design, section 4). */
function staysInside({ kind, text }: Item): boolean {
  return kind === 'exec' || kind === 'state' || text === 'workspace';
}

function items(capabilities: Capabilities): Item[] {
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
        covers: (other) => other.kind === kind && other.rules.every((wish) => ruleCovers(rule, wish)),
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
      other.rules.every((wish) => hosts.some((host) => ruleCovers(host, wish))),
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

function hostPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith('/'));
}

function denied(skillId: string, denials: readonly Denial[]): SkillError {
  const each = denials.map(
    ({ capability, requested, reason, remedy }) =>
      `${capability} ${requested}: ${reason}. To grant it: ${remedy}`,
  );
  return new SkillError('CAPABILITY_DENIED', `${skillId} is not run. ${each.join('; ')}`, {
    details: { denials },
  });
}
