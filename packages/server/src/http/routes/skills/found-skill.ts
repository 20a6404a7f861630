import { type Catalog, type Skill, SkillError } from '@ambit/core';
import { isBroken } from '@ambit/core/internal';

/** A skill of a catalog. Throws `SKILL_NOT_FOUND`, or `SKILL_INVALID` if it cannot be used. */
export async function foundSkill(catalog: Catalog, id: string): Promise<Skill> {
  const found = await catalog.find(id);
  if (found === undefined) {
    throw new SkillError(
      'SKILL_NOT_FOUND',
      `skill ${JSON.stringify(id.slice(0, 200))} does not exist, or this key may not see it; GET /skills lists the available skills`,
    );
  }
  if (isBroken(found)) throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${found.problem}`);
  return found;
}
