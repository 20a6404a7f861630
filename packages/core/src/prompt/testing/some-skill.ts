import type { Selection } from '../../select/selection.ts';
import { readSidecar } from '../../skill/sidecar.ts';
import type { Skill } from '../../skill/skill.ts';

/** A skill for prompts: `sidecar` is the text of its `ambit.yaml`. */
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

/** These skills, selected in this order for phase `plan`. */
export function selectionOf(skills: readonly Skill[], rest: Partial<Selection> = {}): Selection {
  return {
    skills: skills.map((skill) => ({ skill, because: { kind: 'phase', phase: 'plan' }, tokens: null })),
    leftOut: [],
    tools: { allowed: ['Read'], withheld: [], beyondPhase: [], from: 'configured' },
    mcpServers: { servers: {}, origins: {}, refused: [] },
    context: [],
    warnings: [],
    ...rest,
  };
}
