import { readSidecar } from '../skill/sidecar.ts';
import type { Skill } from '../skill/skill.ts';

/**
 * A skill without a folder. `sidecar` is the text of its `ambit.yaml`; an empty one makes a prompt
 * skill.
 */
export function someSkill(
  id: string,
  {
    sidecar = '',
    description = `What ${id} does`,
    ...rest
  }: Partial<Omit<Skill, 'sidecar'>> & {
    sidecar?: string;
    description?: string;
  } = {},
): Skill {
  return {
    id,
    manifest: {
      name: id,
      description,
      license: undefined,
      compatibility: undefined,
      metadata: {},
      allowedTools: [],
    },
    sidecar: readSidecar(sidecar),
    body: `Do ${id}.`,
    digest: 'sha256:d',
    files: [],
    scripts: [],
    tier: 'local',
    root: `/skills/${id}`,
    warnings: [],
    ...rest,
  };
}
