import { hash } from 'node:crypto';
import type { Skill } from '@ambit/core';
import { policyFrom, type Tier } from '@ambit/core/execute';
import { type ScriptGrant, scriptGrants, widenedGrants, widenedRequests } from '@ambit/core/inspect';
import { type LimitRange, limitedRun, limitRangeOf } from '@ambit/core/policy';
import type { Config } from '../config/config.ts';

type PolicySettings = Pick<Config, 'grants' | 'deny' | 'limits' | 'tiers'>;

/** Lists what each call of an installed skill gets, once it is approved at `tier`. */
export function whatItGets(config: PolicySettings, skill: Skill, tier: Tier): ScriptGrant[] {
  return scriptGrants(policyOf(config), skill, tier);
}

function policyOf(config: PolicySettings) {
  return policyFrom(config, (content) => hash('sha256', content));
}

/** The limits of its calls then: what they get by default and at most. Scripts with the same limits are together. */
export function limitsOfCalls(
  config: PolicySettings,
  skill: Skill,
  tier: Tier,
): (LimitRange & { scripts: string[] })[] {
  const policy = policyOf(config);
  const found = new Map<string, LimitRange & { scripts: string[] }>();
  for (const { script, run } of whatItGets(config, skill, tier)) {
    const range = limitRangeOf(policy, { id: skill.id, tier }, limitedRun(run), undefined);
    const same = found.get(JSON.stringify(range));
    if (same === undefined) found.set(JSON.stringify(range), { ...range, scripts: [script] });
    else same.scripts.push(script);
  }
  return [...found.values()];
}

/**
 * Lists what a later version asks for or gets beyond the approved one, a line each. What a skill without a `run` asks for is what
 * is granted to it, so the requests alone do not show it. Empty: the same or less, with the same scripts.
 */
export function widened(config: PolicySettings, before: Skill, after: Skill, tier: Tier): string[] {
  return [
    ...widenedRequests(before, after),
    ...widenedGrants(whatItGets(config, before, tier), whatItGets(config, after, tier)),
  ];
}
