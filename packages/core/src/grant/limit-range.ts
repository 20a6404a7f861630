import { type LimitRange, type LimitSources, limitsOf, type RequestedLimits } from '../capability/limits.ts';
import { isPython, type Run } from '../skill/run.ts';
import type { Skill } from '../skill/skill.ts';
import type { Policy } from './policy.ts';

/** The kind of a call's run, and the limits that its skill asks for. */
export interface LimitedRun {
  kind: keyof Policy['tiers']['local']['limits'];
  limits: RequestedLimits;
}

/** The same of a run. */
export function limitedRun(run: Run): LimitedRun {
  return { kind: isPython(run) ? 'python' : run.runtime, limits: run.limits };
}

/** Everything that decides about the limits of a call. `call` is of the call, `key` of the ceiling of its key. */
export function limitSourcesOf(
  policy: Policy,
  { id, tier }: Pick<Skill, 'id' | 'tier'>,
  { kind, limits }: LimitedRun,
  { call = {}, key = {} }: { call?: RequestedLimits | undefined; key?: RequestedLimits | undefined },
): LimitSources {
  return {
    tier: policy.tiers[tier].limits[kind],
    granted: policy.grants.get(id)?.limits ?? {},
    skill: limits,
    call,
    every: policy.limits,
    key,
    memoryShareBytes: policy.memoryShareBytes,
  };
}

/** A call that asks for as much as there is. */
const everything: Required<RequestedLimits> = {
  timeoutMs: Number.POSITIVE_INFINITY,
  memoryBytes: Number.POSITIVE_INFINITY,
  cpuMs: Number.POSITIVE_INFINITY,
  processes: Number.POSITIVE_INFINITY,
  fileBytes: Number.POSITIVE_INFINITY,
  outputBytes: Number.POSITIVE_INFINITY,
  fuel: Number.POSITIVE_INFINITY,
};

/**
 * Returns the limits of a call without any of its own, and the most it can ask for, with its key's ceiling. A call that asks
 * for more memory than all runs share is refused, so the most is not above that.
 */
export function limitRangeOf(
  policy: Policy,
  skill: Pick<Skill, 'id' | 'tier'>,
  run: LimitedRun,
  key: RequestedLimits | undefined,
): LimitRange {
  const max = limitsOf(limitSourcesOf(policy, skill, run, { call: everything, key }));
  const memoryBytes = Math.min(max.memoryBytes, policy.memoryShareBytes ?? Number.POSITIVE_INFINITY);
  return { default: limitsOf(limitSourcesOf(policy, skill, run, { key })), max: { ...max, memoryBytes } };
}
