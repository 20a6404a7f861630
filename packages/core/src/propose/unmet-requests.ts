import { noCapabilities } from '../capability/capabilities.ts';
import { items } from '../capability/items.ts';
import { judgeItem, notGranted } from '../grant/judge-item.ts';
import type { Policy } from '../grant/policy.ts';
import { declaredRuns, type Skill } from '../skill/skill.ts';
import type { Proposal } from './proposal.ts';

/**
 * Lists requests that are not granted and would not be by a proposal, a line each. Calls are refused until each is granted
 * or no longer requested.
 */
export function unmetRequests(policy: Policy, skill: Skill, { grant }: Pick<Proposal, 'grant'>): string[] {
  const operator = policy.grants.get(skill.id) ?? noCapabilities;
  const proposed = items(grant);
  const unmet = declaredRuns(skill)
    .flatMap(({ run }) => items(run.capabilities))
    .filter((item) => judgeItem(policy, skill, operator, item)?.reason === notGranted)
    .filter((item) => !proposed.some((each) => each.covers(item)));
  return [...new Set(unmet.map(({ kind, text }) => `${kind} ${text}`))];
}
