import type { ContextRequirement } from '../../skill/sidecar.ts';
import type { Skill } from '../../skill/skill.ts';
import type { Selection } from '../selection.ts';

/** What the skills want to know, each type and path once, with the description of the first that wants it. */
export function contextOf(skills: readonly { skill: Skill }[]): Selection['context'] {
  const wanted = new Map<string, { requirement: ContextRequirement; skills: string[] }>();
  for (const {
    skill: { id, sidecar },
  } of skills) {
    for (const requirement of sidecar.context) {
      const key = 'path' in requirement ? `${requirement.type} ${requirement.path}` : requirement.type;
      const before = wanted.get(key);
      if (before === undefined) wanted.set(key, { requirement, skills: [id] });
      else if (before.skills.at(-1) !== id) before.skills.push(id);
    }
  }
  return [...wanted.values()];
}
