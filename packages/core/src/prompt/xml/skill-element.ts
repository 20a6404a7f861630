import { xmlAttribute } from './escape-xml.ts';

/** What stands around the bodies of skills whose instructions are to be followed, and between two of them. */
export const skillsFrame = { begin: '<skills>\n', between: '\n', end: '\n</skills>' };

/** What stands around the bodies of skills that are background: `injection.delivery: context`. */
export const skillContextFrame = { begin: '<skill_context>\n', between: '\n', end: '\n</skill_context>' };

/** The tags around a body, which is escaped with `xmlText` and has nothing before or behind it. */
export function skillTags(id: string): { open: string; close: string } {
  return { open: `<skill name="${xmlAttribute(id)}">`, close: '</skill>' };
}
