import { leftOutText } from '../select/reason-text.ts';
import type { SelectionCatalog, SelectionRequest } from '../select/selection.ts';
import { selectSkills } from '../select/skill-selector.ts';
import type { Skill } from '../skill/skill.ts';

/** The ids of the selected skills, in order. */
export function ids(
  skills: readonly Skill[],
  request: SelectionRequest = {},
  more: Partial<SelectionCatalog> = {},
): string[] {
  return selectSkills({ skills, ...more }, request).skills.map(({ skill }) => skill.id);
}

/** The reason for each skill that is left out. */
export function reasons(skills: readonly Skill[], request: SelectionRequest = {}): string[] {
  return selectSkills({ skills }, request).leftOut.map(leftOutText);
}
