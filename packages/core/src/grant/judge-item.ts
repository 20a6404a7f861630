import type { Capabilities } from '../capability/capabilities.ts';
import { type Denial, grantLine, type Verdict } from '../capability/denial.ts';
import { pathsOverlap } from '../capability/filesystem.ts';
import { type Item, items } from '../capability/items.ts';
import { programsNamed } from '../capability/program-sets.ts';
import type { SkillGrant } from '../capability/skill-grant.ts';
import { ruleOverlaps } from '../egress/network-rule.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { isUnapprovedPython } from '../skill/tool-skill.ts';
import type { Policy } from './policy.ts';

export const notGranted = 'is not granted';

/** The reason for an item that only a trusted skill gets without asking for it. */
export const onlyTrusted = 'is given to a script without a run only once its skill is trusted';
/** The reason for an item that a call adds to the request of a skill. */
export const onlyNarrows = 'is more than the skill requests, and a call can only narrow that';

/** Returns the remedy for an installed skill without approval. A model may read it, so it names no command that approves. */
function approvalRemedy(skillId: string): string {
  return `ask a person to approve it (to read it: "ambit skills review ${skillId}")`;
}

/** Returns the remedy for a skill whose tier does not let its programs run. */
export function tierRemedy({ id, isInstalled }: Pick<ToolSkill, 'id' | 'isInstalled'>): string {
  return isInstalled
    ? approvalRemedy(id)
    : `if you trust its source, add to ambit.config.yaml: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show ${id}" prints FOLDER`;
}

/** Decides whether a skill gets an item that it requests. */
export function judgeItem(
  policy: Policy,
  skill: Pick<ToolSkill, 'id' | 'tier' | 'isInstalled'>,
  operator: SkillGrant,
  item: Item,
): Verdict {
  const ceiling = policy.tiers[skill.tier];
  if (item.kind === 'host') return judgeHost(policy, skill, operator);
  const remedy = grantLine(skill.id, item.kind, item.text === 'granted' ? undefined : item.text, operator);
  if ((item.kind === 'network' && !ceiling.network) || (item.kind === 'secrets' && !ceiling.secrets)) {
    return {
      reason: `is not allowed at tier ${skill.tier}`,
      remedy: skill.isInstalled
        ? `${approvalRemedy(skill.id)}, and then to add: ${remedy}`
        : `if you trust its source, give its folder a higher tier in ambit.config.yaml, then add: ${remedy}`,
    };
  }
  const denied = judgeDenied(policy, item);
  if (denied !== undefined) return denied;
  if (staysInside(item) && ceiling.insideAsRequested) return undefined;
  if (items(operator).some((grant) => grant.covers(item))) return undefined;
  return { reason: notGranted, remedy };
}

/** The way to less than the rights of a user, which a remedy names before them. */
const narrowerThanHost = 'grant only what it needs: filesystem, network, env, exec';

/** Only the operator's grant gives a skill the rights of a user, and only if the source of the skill is the operator. */
function judgeHost(
  policy: Policy,
  skill: Pick<ToolSkill, 'id' | 'tier' | 'isInstalled'>,
  operator: SkillGrant,
): Verdict {
  if (!policy.tiers[skill.tier].host)
    return {
      reason: `is only for tier local, and ${skill.id} has tier ${skill.tier}`,
      remedy: narrowerThanHost,
    };
  // It may have been approved with tier local after the configuration was checked.
  if (skill.isInstalled)
    return {
      reason: `is only for your own skills, and ${skill.id} is installed`,
      remedy: narrowerThanHost,
    };
  const rule = unenforceable(policy.deny);
  if (rule !== undefined)
    return {
      reason: `would reach past the deny rule ${rule}`,
      remedy: narrowerThanHost,
    };
  if (operator.host === true) return undefined;
  const line = grantLine(skill.id, 'host', undefined, operator);
  return {
    reason: notGranted,
    remedy: `${narrowerThanHost}. Only if you trust it like your own shell, add to ambit.config.yaml: ${line}`,
  };
}

/**
 * A deny rule that cannot be enforced on a program with the host's network and programs, or that denies `host` itself.
 * Denied paths are hidden from such a program.
 */
function unenforceable(deny: Capabilities): string | undefined {
  const rule = items(deny).find(({ kind }) => ['host', 'network', 'exec'].includes(kind));
  return rule && `${rule.kind}: ${rule.text}`;
}

/** Whether a deny rule excludes an item. A model may read the remedy, so it never removes the rule. */
export function judgeDenied({ deny }: Pick<Policy, 'deny'>, item: Item): Verdict {
  const rule = items(deny).find((each) => each.kind === item.kind && denies(each, item));
  if (rule === undefined) return undefined;
  const name = `${item.kind} ${item.text}`;
  const change = rule.covers(item) ? `leave out ${name}` : `replace ${name} with what the rule leaves of it`;
  return {
    reason: `is denied by the rule ${rule.text}`,
    remedy: `narrow the call with "capabilities": ${change}`,
  };
}

/**
 * Returns why a caller cannot add an item. A grant can add it only to a skill that requests nothing itself.
 */
export function judgeBeyond(
  policy: Policy,
  skill: ToolSkill,
  operator: SkillGrant,
  item: Item,
): Pick<Denial, 'reason' | 'remedy'> {
  if (skill.requestedBy === 'operator') {
    return (
      judgeItem(policy, skill, operator, item) ?? {
        reason: notGranted,
        remedy: grantLine(skill.id, item.kind, item.text, operator),
      }
    );
  }
  const less = 'request less, or leave "capabilities" out of the call';
  return {
    reason: onlyNarrows,
    remedy: isUnapprovedPython(skill) ? `${less}; to grant more, ${tierRemedy(skill)}` : less,
  };
}

function denies(rule: Item, item: Item): boolean {
  if (item.kind === 'network')
    return rule.rules.some((deny) => item.rules.some((each) => ruleOverlaps(deny, each)));
  if (item.text.startsWith('/') && rule.text.startsWith('/')) return pathsOverlap(rule.text, item.text);
  // Denying one member denies the whole set.
  if (item.kind === 'exec') return programsNamed(item.text).programs.includes(rule.text) || rule.covers(item);
  return rule.covers(item);
}

/** Capabilities that reach nothing outside the sandbox. Only untrusted skills need a grant for them. */
function staysInside({ kind, text }: Item): boolean {
  return kind === 'exec' || kind === 'state' || text === 'workspace';
}
