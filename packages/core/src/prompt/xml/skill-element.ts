import type { Skill } from '../../skill/skill.ts';
import { xmlAttribute } from './xml-text.ts';

/** Surrounds and separates the bodies of skills whose instructions apply. */
export const skillsFrame = { begin: '<skills>\n', between: '\n', end: '\n</skills>' };

/** Surrounds and separates the bodies of background skills (`injection.delivery: context`). */
export const skillContextFrame = { begin: '<skill_context>\n', between: '\n', end: '\n</skill_context>' };

/** The tags around a body. The body is escaped with `xmlText` and has no surrounding blanks. */
export function skillTags(skill: Pick<Skill, 'id' | 'tier'>): { open: string; close: string } {
  return { open: `<skill ${skillAttributes(skill)}>`, close: '</skill>' };
}

/** The attributes of a skill's tag: its name, and its tier if untrusted. */
export function skillAttributes({ id, tier }: Pick<Skill, 'id' | 'tier'>): string {
  return `name="${xmlAttribute(id)}"${tier === 'untrusted' ? ' tier="untrusted"' : ''}`;
}
