import { cutText, type Skill, skillContent } from '@ambit/core';
import { skillUri } from './skill-uri.ts';

/** A skill for a model that is on another machine, maybe: its folder is where its resources are, not where it lies here. */
export function loadedSkill(skill: Skill): string {
  return skillContent({ ...skill, body: cutText(skill.body, bodyCharactersMax), root: skillUri(skill, '') });
}

/** More than any instructions that a model should read at once. */
const bodyCharactersMax = 256 * 1024;
