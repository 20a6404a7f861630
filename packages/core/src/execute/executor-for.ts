import { capabilityKinds } from '../capability/capabilities.ts';
import type { Grant } from '../grant/grant.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { Runtime } from '../skill/run.ts';
import type { SkillExecutor } from './executor.ts';

/**
 * The executor of a granted call. Throws `CAPABILITY_UNSUPPORTED` for a grant that it could not hold the skill to.
 */
export function executorFor(
  executors: Readonly<Record<Runtime, SkillExecutor>>,
  grant: Grant,
): SkillExecutor {
  const { id, run } = grant.skill;
  const executor = executors[run.runtime];
  const unsupported = capabilityKinds(grant.capabilities).filter((kind) => !executor.enforces.includes(kind));
  if (unsupported.length > 0) {
    throw new SkillError(
      'CAPABILITY_UNSUPPORTED',
      `${id} is granted ${unsupported.join(', ')}, which skills with runtime ${run.runtime} cannot be given yet; it is not run with less than it asks for`,
      { details: { capabilities: unsupported } },
    );
  }
  return executor;
}
