import type { Skill } from '../../skill/skill.ts';

/**
 * The skills by priority, then by id in code-unit order, with untrusted skills last: earlier skills
 * win conflicts and are first in a budget, and nothing vouches for the priority of an untrusted
 * skill. Of two skills with the same id the first is used, with a warning.
 */
export function uniqueSkills(skills: readonly Skill[]): { skills: Skill[]; warnings: string[] } {
  const byId = new Map<string, Skill>();
  const warnings: string[] = [];
  for (const skill of skills) {
    const first = byId.get(skill.id);
    if (first === undefined) byId.set(skill.id, skill);
    else warnings.push(`skill ${skill.id} in ${skill.root} is ignored: ${first.root} already has that id`);
  }
  return { skills: [...byId.values()].sort(byTrustAndPriority), warnings };
}

function byTrustAndPriority(a: Skill, b: Skill): number {
  if (isUntrusted(a) !== isUntrusted(b)) return isUntrusted(a) ? 1 : -1;
  if (a.sidecar.priority !== b.sidecar.priority) return a.sidecar.priority - b.sidecar.priority;
  return a.id < b.id ? -1 : 1;
}

export function isUntrusted({ tier }: Skill): boolean {
  return tier === 'untrusted';
}
