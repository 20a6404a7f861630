import type { ToolSkill } from '../skill/skill.ts';
import type { Capabilities } from './capabilities.ts';
import { type Denial, grantLine, type Verdict } from './denial.ts';
import { pathsOverlap } from './filesystem.ts';
import { type Item, items } from './items.ts';
import { ruleOverlaps } from './network.ts';
import type { Policy } from './policy.ts';
import { programsNamed } from './program-sets.ts';

/** Why a skill does not get something that it requests, and what would give it; `undefined` when it does. */
export function judgeItem(policy: Policy, skill: ToolSkill, operator: Capabilities, item: Item): Verdict {
  const ceiling = policy.tiers[skill.tier];
  const remedy = grantLine(skill.id, item.kind, item.text === 'granted' ? undefined : item.text, operator);
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

/** Why a caller does not get something beyond what is requested. Only a grant that is a request can change that. */
export function judgeBeyond(
  policy: Policy,
  skill: ToolSkill,
  operator: Capabilities,
  item: Item,
): Pick<Denial, 'reason' | 'remedy'> {
  if (skill.requestedBy === 'operator') {
    return (
      judgeItem(policy, skill, operator, item) ?? {
        reason: 'no grant adds it',
        remedy: grantLine(skill.id, item.kind, item.text, operator),
      }
    );
  }
  return {
    reason:
      'the caller asked for more than the skill requests and the operator grants; a caller can only narrow',
    remedy: 'leave it out of the call, or ask for something within what GET /skills/:id shows',
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
