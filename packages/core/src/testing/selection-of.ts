import type { Selection } from '../select/selection.ts';
import type { Skill } from '../skill/skill.ts';

/** A selection of these skills, in this order, for phase `plan`. */
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
