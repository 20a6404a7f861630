import { type Grant, grantCall } from '../grant/grant.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { asToolSkill } from '../skill/tool-skill.ts';
import type { ExecuteDeps } from './call/execute-request.ts';
import { executorFor } from './executor/executor-for.ts';

type PrewarmDeps = Pick<ExecuteDeps, 'catalog' | 'policy' | 'executors'>;

/** A skill that could not be prewarmed, and why. */
export interface PrewarmFailure {
  skillId: string;
  cause: unknown;
}

/**
 * Prewarms the skills that request it, with the grant of a call without narrowing. Skips skills whose
 * calls would be refused. Resolves to other failures.
 */
export async function prewarmSkills(deps: PrewarmDeps): Promise<PrewarmFailure[]> {
  const { grants, failed } = await plainGrants(deps);
  for (const grant of grants) {
    try {
      await executorFor(deps.executors, grant).prewarm?.(grant);
    } catch (cause) {
      if (!isRefusal(cause)) failed.push({ skillId: grant.skill.id, cause });
    }
  }
  return failed;
}

/**
 * Ends every prewarmed program whose grant was revoked or changed, or whose skill was changed or removed.
 * Resolves once they have ended. If the skills cannot be read, ends all prewarmed programs.
 */
export async function endOutdated(deps: PrewarmDeps): Promise<void> {
  const { grants } = await plainGrants(deps).catch(() => ({ grants: [] }));
  await Promise.all(Object.values(deps.executors).map((executor) => executor.retain?.(grants)));
}

/** For each tool skill, the grant of a call without narrowing. */
async function plainGrants({
  catalog,
  policy,
}: PrewarmDeps): Promise<{ grants: Grant[]; failed: PrewarmFailure[] }> {
  const grants: Grant[] = [];
  const failed: PrewarmFailure[] = [];
  for (const skill of await catalog.list()) {
    if (skill.sidecar.run === undefined) continue;
    try {
      const tool = asToolSkill(skill);
      if (tool !== undefined) grants.push(grantCall(policy, tool));
    } catch (cause) {
      if (!isRefusal(cause)) failed.push({ skillId: skill.id, cause });
    }
  }
  return { grants, failed };
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof SkillError && cause.code.startsWith('CAPABILITY_');
}
