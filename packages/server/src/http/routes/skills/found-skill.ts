import { type Catalog, type Skill, SkillError } from '@ambit/core';
import { isBroken } from '@ambit/core/internal';

/** A skill of a catalog. Throws `SKILL_NOT_FOUND`, or `SKILL_INVALID` for one that cannot be used. */
export async function foundSkill(catalog: Catalog, id: string): Promise<Skill> {
  const found = await catalog.find(id);
  if (found === undefined) {
    throw new SkillError(
      'SKILL_NOT_FOUND',
      `there is no skill ${JSON.stringify(id.slice(0, 200))}; GET /skills shows those there are`,
    );
  }
  if (isBroken(found)) throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${found.problem}`);
  return found;
}
