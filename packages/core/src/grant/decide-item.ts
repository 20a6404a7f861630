import { Capabilities, type CapabilityKind, noCapabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import { type Item, items } from '../capability/items.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { isUnapprovedPython } from '../skill/tool-skill.ts';
import { callRequest } from './call-request.ts';
import { type CallBounds, type Grant, grantCall } from './grant.ts';
import { judgeDenied, judgeItem, tierRemedy } from './judge-item.ts';
import type { Policy } from './policy.ts';

/** The rules that decide about an item: the skill's request, its tier, a deny rule, a missing grant, a grant, a key's ceiling. */
export const itemRules = ['request', 'policy', 'grant', 'tier', 'ceiling'] as const;

/** Whether a call of a skill may use one item, and why. */
export interface ItemDecision {
  allowed: boolean;
  rule: (typeof itemRules)[number];
  /** A sentence. */
  because: string;
  /** The remedy for a refusal; `null`: the item is allowed. */
  remedy: string | null;
}

/**
 * Answers whether a call of `skill` may use one item: `wanted` has exactly that. A call is granted as a whole, so a call
 * that lacks something else is not granted either. `grantCall` decides.
 */
export function decideItem(
  policy: Policy,
  skill: ToolSkill,
  wanted: Capabilities,
  ceiling?: CallBounds['ceiling'],
): ItemDecision {
  const [item] = items(wanted);
  if (item === undefined) throw new Error('no item to decide about');
  const includesItem = (capabilities: Capabilities): boolean =>
    items(capabilities).some((each) => each.covers(item));
  const name = `${item.kind} ${item.text}`;
  const denials = denialsOf(() => {
    const { capabilities } = grantCall(policy, skill, { ceiling });
    if (includesItem(capabilities)) return;
    throw new NotInGrant();
  });
  if (denials === undefined) return allowed(policy, skill, item, name);
  // A skill that requests what is granted gets this item once the operator grants it.
  if (mayBeGranted(policy, skill, item, denials)) {
    const verdict = judgeItem(policy, skill, policy.grants.get(skill.id) ?? noCapabilities, item);
    if (verdict !== undefined)
      return { allowed: false, rule: 'policy', because: `${name} ${verdict.reason}`, remedy: verdict.remedy };
  }
  if (denials.length > 0) {
    const denial = denials.find(({ capability }) => capability === item.kind) ?? (denials[0] as Denial);
    const { capability, requested, reason, remedy } = denial;
    // A ceiling refuses calls with `host`, and narrows all others.
    const byCeiling = ceiling !== undefined && denialsOf(() => void grantCall(policy, skill)) === undefined;
    return {
      allowed: false,
      rule: byCeiling ? 'ceiling' : 'policy',
      because: `${capability} ${requested} ${reason}`,
      remedy,
    };
  }
  const denied = judgeDenied(policy, item);
  if (denied !== undefined)
    return { allowed: false, rule: 'policy', because: `${name} ${denied.reason}`, remedy: denied.remedy };
  if (ceiling !== undefined && includesItem(grantCall(policy, skill).capabilities))
    return {
      allowed: false,
      rule: 'ceiling',
      because: `${name} is more than the ceiling of the key allows`,
      remedy: 'use a key with a wider ceiling',
    };
  return {
    allowed: false,
    rule: 'request',
    because: `${skill.id} does not request ${name}, and a grant never adds to what a skill requests`,
    remedy: isUnapprovedPython(skill)
      ? tierRemedy(skill)
      : `add it to run.capabilities in the ambit.yaml of ${skill.id}`,
  };
}

/** Whether the skill requests `granted` for this kind, and lacks nothing of other kinds. */
function mayBeGranted(policy: Policy, skill: ToolSkill, item: Item, denials: readonly Denial[]): boolean {
  return (
    denials.every(({ capability }) => capability === item.kind) &&
    items(callRequest(policy, skill).capabilities).some(
      ({ kind, text }) => kind === item.kind && text === 'granted',
    )
  );
}

/** The call is granted, and the item is not part of it. */
class NotInGrant extends Error {}

/** `undefined`: granted, with the item. Empty: granted without it. */
function denialsOf(granting: () => void): readonly Denial[] | undefined {
  try {
    granting();
    return undefined;
  } catch (error) {
    if (error instanceof NotInGrant) return [];
    if (!(error instanceof SkillError)) throw error;
    return error.details['denials'] as readonly Denial[];
  }
}

function allowed(policy: Policy, skill: ToolSkill, item: Item, name: string): ItemDecision {
  const operator: Grant['operator'] = policy.grants.get(skill.id) ?? noCapabilities;
  const grant = items(operator).find((each) => each.covers(item));
  if (isUnapprovedPython(skill))
    return {
      allowed: true,
      rule: 'tier',
      remedy: null,
      because: `Ambit gives ${name} to Python in WebAssembly, and it reaches nothing outside its sandbox`,
    };
  return grant === undefined
    ? {
        allowed: true,
        rule: 'tier',
        remedy: null,
        because: `${skill.id} requests ${name}, which reaches nothing outside its sandbox, and the tier ${skill.tier} grants that`,
      }
    : {
        allowed: true,
        rule: 'grant',
        remedy: null,
        because: `grants.${skill.id}.${grant.kind} has ${grant.text}`,
      };
}

/** Capabilities with one item. Without `hosts`, a secret is one by its name. Throws a Zod error for an invalid item. */
export function oneItem(kind: CapabilityKind, item: string): Capabilities {
  switch (kind) {
    case 'filesystem.read':
      return Capabilities.parse({ filesystem: { read: [item] } });
    case 'filesystem.write':
      return Capabilities.parse({ filesystem: { write: [item] } });
    case 'secrets':
      return { ...noCapabilities, secrets: [{ name: item, hosts: [] }] };
    case 'host':
      return Capabilities.parse({ host: item === 'true' || item });
    case 'state':
    case 'memory':
      return Capabilities.parse({ [kind]: item });
    default:
      return Capabilities.parse({ [kind]: [item] });
  }
}
