import { isExecutable } from '@ambit/core';
import type { ToolSet } from 'ai';
import type { Turn } from '../skills.ts';
import { activateSkill } from './activate-skill.ts';
import { readSkillFile } from './read-skill-file.ts';
import { type Daemon, runSkill } from './run-skill.ts';

export interface BotToolsOptions {
  turn: Turn;
  daemon: Daemon;
  /**
   * Skills whose instructions the model has read in this conversation: id to digest. Grows as it
   * activates skills.
   */
  activated: Map<string, string>;
}

/**
 * The tools for one question: two to read skills, and one for each selected executable skill, named
 * by its id. Without skills there are none. Skill ids contain no underscore, so no skill can
 * replace the first two.
 */
export function botTools({ turn: { skills, composition }, daemon, activated }: BotToolsOptions): ToolSet {
  if (skills.length === 0) return {};
  const inPrompt = composition.parts.filter(({ kind }) => kind === 'skill').map(({ origin }) => origin);
  return {
    activate_skill: activateSkill(skills, new Set(inPrompt), activated),
    read_skill_file: readSkillFile(skills),
    ...Object.fromEntries(skills.filter(isExecutable).map((skill) => [skill.id, runSkill(skill, daemon)])),
  };
}
