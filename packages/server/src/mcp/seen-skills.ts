import { type Skill, SkillError } from '@ambit/core';
import { isBroken, modelLine } from '@ambit/core/internal';
import { findSkills, type SkillQuery } from '../wire/find-skills.ts';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

/** The skills that fit and that the caller sees. Rejects as `Prompts.select` does. */
export async function seenSkills(
  { execute: { catalog }, prompts }: Pick<McpDeps, 'execute' | 'prompts'>,
  caller: McpCaller,
  query: SkillQuery = {},
): Promise<Skill[]> {
  return (await findSkills(catalog, prompts, query)).filter(({ id }) => caller.sees(id));
}

/** One of them. Rejects with `SKILL_NOT_FOUND` or `SKILL_INVALID`, in words for a model. */
export async function seenSkill(
  { execute: { catalog } }: Pick<McpDeps, 'execute'>,
  caller: McpCaller,
  id: string,
): Promise<Skill> {
  const found = caller.sees(id) ? await catalog.find(id) : undefined;
  if (found === undefined) {
    throw new SkillError(
      'SKILL_NOT_FOUND',
      `there is no skill ${JSON.stringify(id.slice(0, 200))}; list_skills shows those there are`,
    );
  }
  if (!isBroken(found)) return found;
  throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${modelLine(found.problem)}`);
}
