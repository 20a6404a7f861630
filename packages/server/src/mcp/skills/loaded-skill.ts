import { type Skill, skillContent } from '@ambit/core';
import { cutText } from '@ambit/core/internal';
import { skillUri } from './skill-uri.ts';

/** A skill for a model that is on another machine, maybe: its folder is where its resources are, not where it lies here. */
export function loadedSkill(skill: Skill): string {
  const { body } = skill;
  const cut = body.length > bodyCharactersMax ? `\n\n[cut: ${howToGetAll}]` : '';
  return skillContent({ ...skill, body: cutText(body, bodyCharactersMax) + cut, root: skillUri(skill, '') });
}

/** More than any instructions that a model should read at once. */
const bodyCharactersMax = 256 * 1024;

const howToGetAll =
  'these instructions are longer than an answer holds. read_skill_file with the path SKILL.md and an offset reads the rest';
