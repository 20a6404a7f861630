import type { Skill } from '@ambit/core';
import { readSidecar } from '@ambit/core/internal';

/** A skill without a folder. `sidecar` is the text of its `ambit.yaml`; an empty one makes a prompt skill. */
export function someSkill(
  id: string,
  sidecar = '',
  { description = `What ${id} does.`, ...rest }: Partial<Skill> & { description?: string } = {},
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
    body: '',
    digest: `sha256:${id}`,
    files: [],
    scripts: [],
    tier: 'local',
    root: `/skills/${id}`,
    warnings: [],
    ...rest,
  };
}
