import type { RecordedSkill } from '@ambit/core/internal';

/** Each skill has a series per outcome. */
const skillsMax = 500;

/**
 * The label of a skill: its id; `_unknown` if the catalog has no such skill, so that callers cannot
 * create series by inventing names; `_other` after the first five hundred skills.
 */
export function skillLabels(): (skill: RecordedSkill) => string {
  const seen = new Set<string>();
  return (skill) => {
    if (!('digest' in skill)) return '_unknown';
    if (seen.size < skillsMax) seen.add(skill.id);
    return seen.has(skill.id) ? skill.id : '_other';
  };
}
