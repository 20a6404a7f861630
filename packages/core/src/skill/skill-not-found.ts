import { SkillError } from '../outcome/skill-error.ts';
import type { Catalog } from './catalog.ts';
import { partsOfId } from './id-parts.ts';
import { nearest } from './issues.ts';

/** The refusal of an unknown id, with the nearest id of the catalog, which has only the skills that the caller may see. */
export async function skillNotFound(id: string, catalog: Pick<Catalog, 'list'>): Promise<SkillError> {
  const skills = await catalog.list().catch(() => []);
  const ids = skills.map((skill) => skill.id);
  const near = nearest(id, ids) ?? ids.find((each) => partsOfId(each).name === partsOfId(id).name);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new SkillError('SKILL_NOT_FOUND', `skill ${JSON.stringify(id.slice(0, 200))} does not exist${hint}`);
}
