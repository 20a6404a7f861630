import { modelLine, type Skill, SkillError } from '@ambit/core';
import { isBroken, skillNotFound } from '@ambit/core/internal';
import { findSkills, type SkillQuery } from '../../prompts/find-skills.ts';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

/** The matching skills that the caller may see. Rejects like `Prompts.select`. */
export async function seenSkills(
  { execute: { catalog }, prompts }: Pick<McpDeps, 'execute' | 'prompts'>,
  caller: McpCaller,
  query: SkillQuery = {},
): Promise<Skill[]> {
  return (await findSkills(catalog, prompts, query)).filter(({ id }) => caller.sees(id));
}

/**
 * A skill that the caller may see. Rejects with `SKILL_NOT_FOUND` or `SKILL_INVALID`, with a
 * message for a model.
 */
export async function seenSkill(
  { execute: { catalog } }: Pick<McpDeps, 'execute'>,
  caller: McpCaller,
  id: string,
): Promise<Skill> {
  const found = caller.sees(id) ? await catalog.find(id) : undefined;
  if (found === undefined)
    throw await skillNotFound(id, {
      list: async () => (await catalog.list()).filter((skill) => caller.sees(skill.id)),
    });
  if (!isBroken(found)) return found;
  throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${modelLine(found.problem)}`);
}

/** A skill's tier for programs, in the `_meta` of every list entry for the skill. */
export function tierMeta({ tier }: Pick<Skill, 'tier'>): { 'ambit/tier': Skill['tier'] } {
  return { 'ambit/tier': tier };
}
