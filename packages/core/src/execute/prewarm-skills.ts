import { type Grant, grantCall } from '../grant/grant.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { asToolSkill } from '../skill/skill.ts';
import type { ExecuteDeps } from './execute-request.ts';
import { executorFor } from './executor-for.ts';

type PrewarmDeps = Pick<ExecuteDeps, 'catalog' | 'policy' | 'executors'>;

/** A skill that could not be prewarmed, and why. */
export interface PrewarmFailure {
  skillId: string;
  cause: unknown;
}

/**
 * Makes the executors ready for the skills that ask for it, with the grant that a call has which is not narrowed. A
 * skill whose calls would be refused is left out: they will say why. Resolves to what went wrong otherwise.
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
 * Ends every prewarmed program that a call would not be granted the same way now, because its grant was revoked or its
 * skill was changed or removed. Resolves once all of them have ended. If the skills cannot be read, it ends all prewarmed
 * programs.
 */
export async function endOutdated(deps: PrewarmDeps): Promise<void> {
  const { grants } = await plainGrants(deps).catch(() => ({ grants: [] }));
  await Promise.all(Object.values(deps.executors).map((executor) => executor.retain?.(grants)));
}

/** The grant of an ordinary call, one that is not narrowed, of each tool skill. */
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
