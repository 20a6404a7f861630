import type { SkillQuery } from '@ambit/api';
import { type BrokenSkill, type Catalog, modelLine, type Skill } from '@ambit/core';
import { isBroken, isForModels, skillNotFound, skillUnusable } from '@ambit/core/skill';
import { visibleCatalog } from '../../auth/access/visible-catalog.ts';
import { findSkills } from '../../prompts/find-skills.ts';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

/** The skills that a caller may see, and models too; every other skill is missing or unusable. */
export function seenCatalog(
  { execute: { catalog } }: Pick<McpDeps, 'execute'>,
  { sees }: Pick<McpCaller, 'sees'>,
): Catalog {
  const visible = visibleCatalog(catalog, sees);
  return {
    list: async () => (await visible.list()).filter(isForModels),
    broken: async () => [
      ...(await visible.broken()),
      ...(await visible.list()).filter((skill) => !isForModels(skill)).map(leftToPeople),
    ],
    async find(id) {
      const found = await visible.find(id);
      return found === undefined || isBroken(found) || isForModels(found) ? found : leftToPeople(found);
    },
  };
}

function leftToPeople({ id, root }: Skill): BrokenSkill {
  return { id, root, problem: 'its author hides it from models. A person can run it' };
}

/** The matching skills that the caller may see. Rejects like `Prompts.select`. */
export async function seenSkills(
  { execute: { catalog }, prompts }: Pick<McpDeps, 'execute' | 'prompts'>,
  caller: McpCaller,
  query: SkillQuery = {},
): Promise<readonly Skill[]> {
  return findSkills(catalog, prompts, query, (skill) => caller.sees(skill.id) && isForModels(skill));
}

/**
 * A skill that the caller may see. Rejects with `SKILL_NOT_FOUND`, `SKILL_AMBIGUOUS` or `SKILL_INVALID`, with a
 * message for a model.
 */
export async function seenSkill(
  deps: Pick<McpDeps, 'execute'>,
  caller: McpCaller,
  id: string,
): Promise<Skill> {
  const catalog = seenCatalog(deps, caller);
  const found = await catalog.find(id);
  if (found === undefined) throw await skillNotFound(id, catalog);
  if (!isBroken(found)) return found;
  throw skillUnusable({ ...found, problem: modelLine(found.problem) });
}

/** A skill's tier for programs, in the `_meta` of every list entry for the skill. */
export function tierMeta({ tier }: Pick<Skill, 'tier'>): { 'ambit/tier': Skill['tier'] } {
  return { 'ambit/tier': tier };
}
