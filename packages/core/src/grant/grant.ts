import { type Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { type Denial, deniedNeeds, jointGrantLine } from '../capability/denial.ts';
import { type Item, items } from '../capability/items.ts';
import { type LimitSources, type Limits, limitsOf, type RequestedLimits } from '../capability/limits.ts';
import { programsNamed } from '../capability/program-sets.ts';
import type { SkillGrant } from '../capability/skill-grant.ts';
import type { NetworkRule } from '../egress/network-rule.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { callRequest, grantsLeft } from './call-request.ts';
import { judgeBeyond, judgeDenied, judgeItem, notGranted, tierRemedy } from './judge-item.ts';
import { limitedRun, limitSourcesOf } from './limit-range.ts';
import type { Policy } from './policy.ts';
import { withinCeiling } from './within-ceiling.ts';

const granted: unique symbol = Symbol('granted');

/**
 * Proof that policy allows one call of one skill. Only `grantCall` creates it, and executors
 * require it.
 */
export interface Grant {
  readonly [granted]: true;
  readonly skill: ToolSkill;
  /** The capabilities of the call, with `granted` replaced by the granted paths and hosts. */
  readonly capabilities: Capabilities;
  /**
   * Host paths that the operator grants. The real path of each granted path must be below one of
   * them. The executor checks this: policy compares names and does not resolve symlinks.
   */
  readonly hostRoots: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** Host paths that the operator denies, checked against real paths as well. */
  readonly hostDenied: readonly string[];
  /** Programs that the operator denies. A granted program does not bring them either. */
  readonly programsDenied: readonly string[];
  /** Everything that the operator grants to this skill, for lines that grant more. */
  readonly operator: SkillGrant;
  /** Environment variables that the operator denies. */
  readonly variablesDenied: readonly string[];
  /** Network rules that the operator denies. They win over grants, request by request. */
  readonly networkDenied: readonly NetworkRule[];
  readonly limits: Limits;
  /** The sources of `limits`. */
  readonly limitSources: LimitSources;
  /** Whether the call or the ceiling of its key is narrower than the grant. */
  readonly narrowed: boolean;
  /** The programs to which the call narrows `exec`; absent: it does not mention `exec`. */
  readonly calledExec: readonly string[] | undefined;
  /** Whether the call is a trial: executors observe what it tries to reach, and deny all of it. */
  readonly trial: boolean;
}

/**
 * A caller's restrictions of a call. An absent key narrows nothing; an empty list removes all items of
 * its kind. Capabilities without `host` remove it.
 */
export interface Narrowing {
  readonly capabilities?: Partial<Omit<Capabilities, 'filesystem'>> & {
    readonly filesystem?: Partial<Capabilities['filesystem']>;
  };
  readonly limits?: RequestedLimits;
  /**
   * Runs the skill without its grants: it has only what stays inside the sandbox, and reads its state. What it tries to
   * reach beyond that is recorded as denied.
   */
  readonly trial?: true | undefined;
}

/** Bounds for a call besides policy. Absent keys set no bound. */
export interface CallBounds {
  /** The caller's restrictions of the call. Widening is refused. */
  readonly narrowing?: Narrowing | undefined;
  /**
   * The most that the caller's key may use of any skill. Narrows silently, so that one ceiling works for many
   * skills; only `host` is refused.
   */
  readonly ceiling?: Narrowing | undefined;
}

/**
 * Decides what a call gets:
 * `effective = requested ∩ tier ceiling ∩ operator grant ∩ caller's narrowing`. `callRequest` computes
 * what is requested. What stays inside the sandbox needs a grant only at tier `untrusted`, except the
 * workspace of a script without a `run` in the sidecar. Deny rules win over grants: a call that would get what one
 * excludes is refused, unless its caller leaves that out or other granted paths remain for `granted`.
 *
 * Throws `CAPABILITY_DENIED` if a request is not granted, or if the caller tries to widen it.
 * `details.denials` lists every missing capability with its reason and remedy.
 */
export function grantCall(
  policy: Policy,
  skill: ToolSkill,
  { narrowing = {}, ceiling }: CallBounds = {},
): Grant {
  const tier = policy.tiers[skill.tier];
  const operator: SkillGrant = policy.grants.get(skill.id) ?? noCapabilities;
  const left = grantsLeft(policy, skill.id);
  const trial = narrowing.trial === true;
  const requested = trial
    ? insideOnly(skill.run.capabilities)
    : withOperatorGrants(callRequest(policy, skill).capabilities, left);
  const wanted = withOperatorGrants(narrowed(requested, narrowing), left);

  const denials: Denial[] = [];
  const mayRun = skill.run.runtime !== 'process' || tier.processSkills;
  if (!mayRun) {
    denials.push({
      capability: 'run',
      requested: 'process',
      reason: `is not allowed at tier ${skill.tier}`,
      remedy: tierRemedy(skill),
    });
  }
  // Report only the grants that the next higher tier still needs.
  const judged: ToolSkill = mayRun ? skill : { ...skill, tier: 'verified' };
  const requestedItems = items(requested);
  const wantedItems = items(wanted);
  // The caller can leave out what a deny rule excludes, but not what is missing from the grant.
  const undenied = { ...policy, deny: noCapabilities };
  for (const item of requestedItems) {
    const rules = wantedItems.some((each) => isSame(each, item)) ? policy : undenied;
    const verdict = judgeItem(rules, judged, operator, item);
    if (verdict?.reason === notGranted && isGivenByAmbit(skill, item)) continue;
    if (verdict !== undefined) denials.push({ capability: item.kind, requested: item.text, ...verdict });
  }
  if (wanted.host === true && requested.host === true) denials.push(...deniedToHost(wanted, ceiling));
  const isCovered = (item: Item): boolean => requestedItems.some((each) => each.covers(item));
  for (const item of wantedItems) {
    if (!isCovered(item) || requestedItems.some((each) => isSame(each, item))) continue;
    const verdict = judgeDenied(policy, item);
    if (verdict !== undefined) denials.push({ capability: item.kind, requested: item.text, ...verdict });
  }
  if (denials.length > 0) throw capabilityDenied(skill.id, withOneLine(skill.id, denials, operator));

  const widened = wantedItems.filter((item) => !isCovered(item));
  if (widened.length > 0) {
    const beyond = widened.map((item) => ({
      capability: item.kind,
      requested: item.text,
      ...judgeBeyond(policy, skill, operator, item),
    }));
    throw capabilityDenied(skill.id, withOneLine(skill.id, beyond, operator), 'was called with');
  }

  const limitSources = limitSourcesOf(policy, skill, limitedRun(skill.run), {
    call: narrowing.limits,
    key: ceiling?.limits,
  });
  return {
    [granted]: true,
    skill,
    capabilities: ceiling === undefined ? wanted : belowCeiling(wanted, ceiling, left),
    hostRoots: { read: hostPaths(operator.filesystem.read), write: hostPaths(operator.filesystem.write) },
    hostDenied: hostPaths([...policy.deny.filesystem.read, ...policy.deny.filesystem.write]),
    programsDenied: policy.deny.exec.flatMap((name) => programsNamed(name).programs),
    operator,
    variablesDenied: policy.deny.env,
    networkDenied: policy.deny.network,
    limits: limitsOf(limitSources),
    limitSources,
    narrowed: narrowsAnything(narrowing) || narrowsAnything(ceiling),
    calledExec: narrowing.capabilities?.exec,
    trial,
  };
}

/** Denials of `host` that policy does not decide: by the ceiling of a key, and beside secrets. */
function deniedToHost({ secrets }: Capabilities, ceiling: Narrowing | undefined): Denial[] {
  const denials: Denial[] = [];
  if (ceiling !== undefined && ceiling.capabilities?.host !== true)
    denials.push({
      capability: 'host',
      requested: 'true',
      reason: 'is excluded by the ceiling of the key',
      remedy: 'use a key whose ceiling has host: true, or leave host out of "capabilities" of the call',
    });
  // Secrets are added by the proxy, which such a program does not use.
  if (secrets.length > 0)
    denials.push({
      capability: 'host',
      requested: 'true',
      reason: 'cannot be combined with secrets',
      remedy: 'leave host or secrets out of "capabilities" of the call',
    });
  return denials;
}

function isSame(a: Item, b: Item): boolean {
  return a.kind === b.kind && a.text === b.text;
}

/** Ambit itself requests the workspace of a script without a run in the sidecar. */
function isGivenByAmbit({ requestedBy }: ToolSkill, { kind, text }: Item): boolean {
  return requestedBy !== 'sidecar' && kind === 'filesystem.write' && text === 'workspace';
}

/** The part of a request that reaches nothing outside the sandbox. `stateFor` drops changes of the state. */
function insideOnly({ exec, state, filesystem }: Capabilities): Capabilities {
  const write = filesystem.write.filter((path) => path === 'workspace');
  return { ...noCapabilities, exec, state, filesystem: { read: [], write } };
}

/**
 * Replaces `granted` with what the operator grants. If that is nothing, `granted` stays and is
 * denied later.
 */
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

function narrowed(requested: Capabilities, { capabilities }: Narrowing): Capabilities {
  if (capabilities === undefined) return requested;
  const { host: _, ...bounded } = requested;
  return {
    ...bounded,
    ...capabilities,
    filesystem: { ...requested.filesystem, ...capabilities.filesystem },
  };
}

function belowCeiling(wanted: Capabilities, ceiling: Narrowing, operator: Capabilities): Capabilities {
  return withinCeiling(wanted, withOperatorGrants(narrowed(wanted, ceiling), operator));
}

function narrowsAnything({ capabilities, limits, trial }: Narrowing = {}): boolean {
  return trial === true || capabilities !== undefined || limits !== undefined;
}

function hostPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith('/'));
}

/** Each line of configuration replaces the present one, so every line has all that is missing. */
function withOneLine(skillId: string, denials: readonly Denial[], operator: SkillGrant): Denial[] {
  // The rights of a user have a remedy of their own.
  const missing = denials.filter(({ capability, reason }) => reason === notGranted && capability !== 'host');
  if (missing.length < 2) return [...denials];
  const missingItems = missing.flatMap(({ capability, requested }) =>
    capability === 'run' ? [] : [{ kind: capability, item: requested === 'granted' ? undefined : requested }],
  );
  const remedy = jointGrantLine(skillId, missingItems, operator);
  return denials.map((denial) => (missing.includes(denial) ? { ...denial, remedy } : denial));
}

/**
 * The refusal of a call that lacks capabilities. Its message names each with its reason and remedy.
 */
export function capabilityDenied(
  skillId: string,
  denials: readonly Denial[],
  need: 'needs' | 'was called with' = 'needs',
): SkillError {
  return new SkillError('CAPABILITY_DENIED', deniedNeeds(skillId, need, denials), { details: { denials } });
}
