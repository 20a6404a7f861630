import { SkillError } from '../execute/skill-error.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { callRequest } from './call-request.ts';
import { type Capabilities, type NetworkRule, noCapabilities } from './capabilities.ts';
import type { Denial } from './denial.ts';
import { items } from './items.ts';
import { judgeBeyond, judgeItem } from './judge-item.ts';
import { type Limits, minimumLimits, type RequestedLimits } from './limits.ts';
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
  /** The programs that the operator's deny rules name: none of them comes along with one that is granted. */
  readonly programsDenied: readonly string[];
  /** All that the operator grants to this skill, for lines that grant more. */
  readonly operator: Capabilities;
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

/** What a call may have at most, besides policy. An absent key bounds nothing. */
export interface CallBounds {
  /** What the caller takes away. Asking for more than the call could have is refused. */
  readonly narrowing?: Narrowing | undefined;
  /** What the caller's key may have of any skill. The call runs without what lies beyond, so one ceiling does for many skills. */
  readonly ceiling?: Narrowing | undefined;
}

/**
 * The one place where policy speaks: `effective = requested ∩ tier ceiling ∩ operator grant ∩ caller's narrowing`
 * (design, section 4). `callRequest` says what is requested. Deny rules win over grants.
 *
 * Throws `CAPABILITY_DENIED` when anything requested is not granted, or the caller asks for more than it could have;
 * `details.denials` holds every missing capability with its reason and the line that would grant it.
 */
export function grantCall(
  policy: Policy,
  skill: ToolSkill,
  { narrowing = {}, ceiling }: CallBounds = {},
): Grant {
  const tier = policy.tiers[skill.tier];
  const operator = policy.grants.get(skill.id) ?? noCapabilities;
  const requested = withOperatorGrants(callRequest(policy, skill).capabilities, operator);
  const wished = withOperatorGrants(narrowed(requested, narrowing), operator);

  const denials: Denial[] = [];
  const mayRun = skill.run.runtime !== 'process' || tier.processSkills;
  if (!mayRun) {
    denials.push({
      capability: 'run',
      requested: 'process',
      reason: `skills of tier ${skill.tier} do not run as programs of the host, whatever is granted to them`,
      remedy: `if you trust its source, add its folder to ambit.config.yaml with a higher tier: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show ${skill.id}" prints FOLDER`,
    });
  }
  // What a higher tier gives by itself needs no grant.
  const judged: ToolSkill = mayRun ? skill : { ...skill, tier: 'verified' };
  for (const item of items(requested)) {
    const verdict = judgeItem(policy, judged, operator, item);
    if (verdict !== undefined) denials.push({ capability: item.kind, requested: item.text, ...verdict });
  }
  if (denials.length > 0) throw capabilityDenied(skill.id, denials);

  const widened = items(wished).filter((wish) => !items(requested).some((item) => item.covers(wish)));
  if (widened.length > 0) {
    throw capabilityDenied(
      skill.id,
      widened.map((item) => ({
        capability: item.kind,
        requested: item.text,
        ...judgeBeyond(policy, skill, operator, item),
      })),
    );
  }

  return {
    [granted]: true,
    skill,
    capabilities: ceiling === undefined ? wished : belowCeiling(wished, ceiling, operator),
    hostRoots: { read: hostPaths(operator.filesystem.read), write: hostPaths(operator.filesystem.write) },
    hostDenied: hostPaths([...policy.deny.filesystem.read, ...policy.deny.filesystem.write]),
    programsDenied: policy.deny.exec.flatMap((name) => programsNamed(name).programs),
    operator,
    networkDenied: policy.deny.network,
    limits: minimumLimits(
      tier.limits[skill.run.runtime],
      skill.run.limits,
      policy.limits,
      narrowing.limits ?? {},
      ceiling?.limits ?? {},
    ),
    narrowed: takesAnything(narrowing) || takesAnything(ceiling),
  };
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

function belowCeiling(wished: Capabilities, ceiling: Narrowing, operator: Capabilities): Capabilities {
  return withinCeiling(wished, withOperatorGrants(narrowed(wished, ceiling), operator));
}

function takesAnything({ capabilities, limits }: Narrowing = {}): boolean {
  return capabilities !== undefined || limits !== undefined;
}

function hostPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith('/'));
}

/** A call that is refused for what it was not granted, with a line for each that says what would grant it. */
export function capabilityDenied(skillId: string, denials: readonly Denial[]): SkillError {
  const each = denials.map(
    ({ capability, requested, reason, remedy }) =>
      `${capability} ${requested}: ${reason}. To grant it: ${remedy}`,
  );
  return new SkillError('CAPABILITY_DENIED', `${skillId} is not run. ${each.join('; ')}`, {
    details: { denials },
  });
}
