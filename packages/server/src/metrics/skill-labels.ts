import type { RecordedSkill } from '@ambit/core/internal';

/** Each skill is a series for each way its calls can end. */
const skillsMax = 500;

/**
 * What a skill is called in a label: its id, `_unknown` for what is no skill of the catalog, so that nobody makes series by
 * asking for names, and `_other` for those beyond the first five hundred.
 */
export function skillLabels(): (skill: RecordedSkill) => string {
  const seen = new Set<string>();
  return (skill) => {
    if (!('digest' in skill)) return '_unknown';
    if (seen.size < skillsMax) seen.add(skill.id);
    return seen.has(skill.id) ? skill.id : '_other';
  };
}
