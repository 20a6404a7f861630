import type { SkillQuery } from '@ambit/api';
import { type Catalog, isExecutable, type Skill } from '@ambit/core';
import type { Prompts } from './prompts.ts';

/**
 * The matching skills, if `isOffered`: ranked by `q` if it is given, else in the order of the selection if `phase`,
 * `agent` or `tag` is given, else by id. Rejects like `Prompts.select`.
 */
export async function findSkills(
  catalog: Catalog,
  prompts: Pick<Prompts, 'select' | 'search'>,
  query: SkillQuery,
  isOffered: (skill: Skill) => boolean = () => true,
): Promise<readonly Skill[]> {
  const { executable, q = '' } = query;
  const found = (await selected(catalog, prompts, query)).filter(
    (skill) =>
      isOffered(skill) && (executable === undefined || isExecutable(skill) === (executable === 'true')),
  );
  return q === '' ? found : prompts.search(found, q);
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

/** Whether `findSkills` answers in the order of ids. */
export function isById({ phase, agent, tag, q = '' }: SkillQuery): boolean {
  return (phase ?? agent ?? tag) === undefined && q === '';
}
