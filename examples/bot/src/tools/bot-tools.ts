import type { ToolSet } from 'ai';
import type { Turn } from '../skills.ts';
import { activateSkill } from './activate-skill.ts';
import { readSkillFile } from './read-skill-file.ts';

export interface BotToolsOptions {
  turn: Turn;
  /** The tools of the daemon for the selected skills. */
  running: ToolSet;
  /**
   * Skills whose instructions the model has read in this conversation: id to digest. Grows as it
   * activates skills.
   */
  activated: Map<string, string>;
}

/**
 * The tools for one question: two to read skills, and one for each selected skill that the daemon can run. Without
 * skills there are none. No skill can replace the first two.
 */
export function botTools({ turn: { skills, composition }, running, activated }: BotToolsOptions): ToolSet {
  if (skills.length === 0) return {};
  const inPrompt = composition.parts.filter(({ kind }) => kind === 'skill').map(({ origin }) => origin);
  return {
    ...running,
    activate_skill: activateSkill(skills, new Set(inPrompt), activated),
    read_skill_file: readSkillFile(skills),
  };
}
