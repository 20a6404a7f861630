import type { Skill } from '../../skill/skill.ts';

/**
 * The skills by priority, then by id in the order of its code units, untrusted ones after all others: whoever comes first
 * stands in a conflict and is first served by a budget, and nobody vouches for the priority that those give themselves.
 * A warning for each whose id an earlier one has already, because the first stands.
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
  return { skills: [...byId.values()].sort(byTrustAndPriority), warnings };
}

function byTrustAndPriority(a: Skill, b: Skill): number {
  if (isUntrusted(a) !== isUntrusted(b)) return isUntrusted(a) ? 1 : -1;
  if (a.sidecar.priority !== b.sidecar.priority) return a.sidecar.priority - b.sidecar.priority;
  return a.id < b.id ? -1 : 1;
}

/** Whether nobody vouches for a skill. */
export function isUntrusted({ tier }: Skill): boolean {
  return tier === 'untrusted';
}
