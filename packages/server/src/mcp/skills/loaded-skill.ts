import { type Skill, skillContent } from '@ambit/core';
import { skillUri } from './skill-uri.ts';

/** A skill for a model that is on another machine, maybe: its folder is where its resources are, not where it lies here. */
export function loadedSkill(skill: Skill): string {
  return skillContent({ ...skill, root: skillUri(skill, '') });
}
