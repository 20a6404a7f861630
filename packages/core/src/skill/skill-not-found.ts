import { SkillError } from '../outcome/skill-error.ts';
import { type Catalog, isBroken, skillUnusable } from './catalog.ts';
import { partsOfId } from './id-parts.ts';
import { nearest } from './issues.ts';
import type { Skill } from './skill.ts';

/** The refusal of an unknown id, with the nearest id of the catalog, which has only the skills that the caller may see. */
export async function skillNotFound(id: string, catalog: Pick<Catalog, 'list'>): Promise<SkillError> {
  const skills = await catalog.list().catch(() => []);
  const ids = skills.map((skill) => skill.id);
  const near = nearest(id, ids) ?? ids.find((each) => partsOfId(each).name === partsOfId(id).name);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new SkillError('SKILL_NOT_FOUND', `skill ${JSON.stringify(id.slice(0, 200))} does not exist${hint}`);
}

/** A skill of the catalog. Rejects with `SKILL_NOT_FOUND`, `SKILL_AMBIGUOUS`, or the code of a skill that cannot be used. */
export async function usableSkill(catalog: Pick<Catalog, 'find' | 'list'>, id: string): Promise<Skill> {
  const found = await catalog.find(id);
  if (found === undefined) throw await skillNotFound(id, catalog);
  if (isBroken(found)) throw skillUnusable(found);
  return found;
}
