import type { PreparedSkill } from '../prepared/prepared-catalog.ts';
import type { Selection } from '../selection.ts';

/**
 * The context that the skills require. Each type and path occurs once, with the description of the
 * first skill that requires it.
 */
export function contextOf(skills: readonly PreparedSkill[]): Selection['context'] {
  const wanted = new Map<
    string,
    { requirement: Selection['context'][number]['requirement']; skills: string[] }
  >();
  for (const { skill, context } of skills) {
    for (const { key, requirement } of context) {
      const before = wanted.get(key);
      if (before === undefined) wanted.set(key, { requirement, skills: [skill.id] });
      else if (before.skills.at(-1) !== skill.id) before.skills.push(skill.id);
    }
  }
  return [...wanted.values()];
}
