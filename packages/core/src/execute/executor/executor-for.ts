import { capabilityKinds } from '../../capability/capabilities.ts';
import type { Grant } from '../../grant/grant.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import type { Runtime } from '../../skill/run.ts';
import type { SkillExecutor } from './executor.ts';

/**
 * The executor of a granted call. Throws `CAPABILITY_UNSUPPORTED` for a grant that it cannot enforce.
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
      `${id} needs ${unsupported.join(', ')}, which runtime ${run.runtime} does not support yet; use another runtime, or remove the request from its ambit.yaml`,
      { details: { capabilities: unsupported } },
    );
  }
  return executor;
}
