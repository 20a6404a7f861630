import type { Catalog, Skill } from '@ambit/core';
import { isBroken, skillNotFound, skillUnusable } from '@ambit/core/skill';

/** A skill of the catalog. Rejects with `SKILL_NOT_FOUND`, and for a skill that cannot be used. */
export async function usableSkill(catalog: Catalog, id: string): Promise<Skill> {
  const found = await catalog.find(id);
  if (found === undefined) throw await skillNotFound(id, catalog);
  if (isBroken(found)) throw skillUnusable(found);
  return found;
}
