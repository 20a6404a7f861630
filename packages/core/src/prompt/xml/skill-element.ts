import type { Skill } from '../../skill/skill.ts';
import { xmlAttribute } from './escape-xml.ts';

/** What stands around the bodies of skills whose instructions are to be followed, and between two of them. */
export const skillsFrame = { begin: '<skills>\n', between: '\n', end: '\n</skills>' };

/** What stands around the bodies of skills that are background: `injection.delivery: context`. */
export const skillContextFrame = { begin: '<skill_context>\n', between: '\n', end: '\n</skill_context>' };

/** The tags around a body, which is escaped with `xmlText` and has nothing before or behind it. */
export function skillTags(skill: Pick<Skill, 'id' | 'tier'>): { open: string; close: string } {
  return { open: `<skill ${skillAttributes(skill)}>`, close: '</skill>' };
}

/** What a tag says of the skill whose text it holds: its name, and its tier where nobody trusts it. */
export function skillAttributes({ id, tier }: Pick<Skill, 'id' | 'tier'>): string {
  return `name="${xmlAttribute(id)}"${tier === 'untrusted' ? ' tier="untrusted"' : ''}`;
}
