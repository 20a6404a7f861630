import { grantCall } from '../capability/grant.ts';
import { asToolSkill } from '../skill/skill.ts';
import type { ExecuteDeps } from './execute-request.ts';
import { executorFor } from './executor-for.ts';
import { SkillError } from './skill-error.ts';

/**
 * Makes the executors ready for the skills that ask for it, with the grant that a call has which is not narrowed. A
 * skill whose calls would be refused is left out: they will say why. Resolves to what went wrong otherwise.
 */
export async function prewarmSkills({
  catalog,
  policy,
  executors,
}: Pick<ExecuteDeps, 'catalog' | 'policy' | 'executors'>): Promise<{ skillId: string; cause: unknown }[]> {
  const failed: { skillId: string; cause: unknown }[] = [];
  for (const skill of await catalog.list()) {
    if (skill.sidecar.run === undefined) continue;
    try {
      const tool = asToolSkill(skill);
      if (tool === undefined) continue;
      const grant = grantCall(policy, tool);
      await executorFor(executors, grant).prewarm?.(grant);
    } catch (cause) {
      const refused = cause instanceof SkillError && cause.code.startsWith('CAPABILITY_');
      if (!refused) failed.push({ skillId: skill.id, cause });
    }
  }
  return failed;
}
