import type { Skill } from '../../skill/skill.ts';

/**
 * The skills by priority, then by id in the order of its code units; and a warning for each whose id an earlier one has
 * already, because the first stands.
 */
export function uniqueSkills(skills: readonly Skill[]): { skills: Skill[]; warnings: string[] } {
  const byId = new Map<string, Skill>();
  const warnings: string[] = [];
  for (const skill of skills) {
    const first = byId.get(skill.id);
    if (first === undefined) byId.set(skill.id, skill);
    else
      warnings.push(`the skill ${skill.id} in ${skill.root} is not used: ${first.root} has that id already`);
  }
  return { skills: [...byId.values()].sort(byPriority), warnings };
}

function byPriority(a: Skill, b: Skill): number {
  if (a.sidecar.priority !== b.sidecar.priority) return a.sidecar.priority - b.sidecar.priority;
  return a.id < b.id ? -1 : 1;
}
