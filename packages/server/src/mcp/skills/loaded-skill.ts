import { type Skill, skillContent } from '@ambit/core';
import { cutText } from '@ambit/core/prompt';
import { skillFileOf } from '@ambit/core/skill';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { skillGuide } from './skill-guide.ts';
import { skillUri } from './skill-uri.ts';

/**
 * A skill's instructions for a model, and how it runs the skill here. The model may be on another machine, so the resource URI
 * replaces the path of its folder, and a placeholder for the folder becomes its path in sandboxes. `task` is what a person
 * asked for, if the instructions are a prompt.
 */
export function loadedSkill(skill: Skill, deps: McpDeps, caller: McpCaller, task?: string): string {
  const { body } = skill;
  const cut = body.length > bodyCharactersMax ? `\n\n[cut: ${howToGetAll(skillFileOf(skill))}]` : '';
  const content = skillContent(
    { ...skill, body: cutText(body, bodyCharactersMax) + cut, root: skillUri(skill, '') },
    { folder: '/skill', task },
  );
  return content + skillGuide(skill, deps, caller);
}

/** More than any instructions that a model should read in one result. */
const bodyCharactersMax = 256 * 1024;

const howToGetAll = (path: string): string =>
  `the instructions are longer than one result. read_skill_file with the path ${path} and an offset reads the rest`;
