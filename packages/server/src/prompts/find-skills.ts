import type { SkillQuery } from '@ambit/api';
import { type Catalog, isExecutable, type Skill } from '@ambit/core';
import type { Prompts } from './prompts.ts';

/**
 * The matching skills: in the order of the selection if `phase`, `agent` or `tag` is given, else by
 * id.
 */
export async function findSkills(
  catalog: Catalog,
  prompts: Pick<Prompts, 'select'>,
  query: SkillQuery,
): Promise<readonly Skill[]> {
  return (await selected(catalog, prompts, query)).filter((skill) => fits(skill, query));
}

async function selected(
  catalog: Catalog,
  prompts: Pick<Prompts, 'select'>,
  { phase, agent, tag }: SkillQuery,
): Promise<readonly Skill[]> {
  if (phase === undefined && agent === undefined && tag === undefined) return catalog.list();
  const { skills } = await prompts.select({ phase, agent, tags: tag === undefined ? undefined : [tag] });
  return skills.map(({ skill }) => skill);
}

function fits(
  { id, alias = '', manifest, sidecar, scripts }: Skill,
  { executable, q = '' }: SkillQuery,
): boolean {
  if (executable !== undefined && isExecutable({ sidecar, scripts }) !== (executable === 'true'))
    return false;
  const text = [id, alias, manifest.description, ...sidecar.tags].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
