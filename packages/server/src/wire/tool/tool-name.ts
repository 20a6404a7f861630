import { createHash } from 'node:crypto';
import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import { plainId } from '@ambit/core/skill';

/** The most that every provider accepts, of letters, digits, `_` and `-`. */
const charactersMax = 64;

/**
 * The name of a skill's tool, which follows from its id alone. Clients refuse `:`, so `plainId`
 * replaces it. A long name keeps its beginning and ends with 128 bits of the id's digest, which no two ids share.
 */
export function toolName(id: string): string {
  const name = plainId(id);
  if (name.length <= charactersMax) return name;
  const end = `_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  // An underscore before it would make this the name of another id too: one whose second part is the digest.
  return name.slice(0, charactersMax - end.length).replace(/_+$/, '') + end;
}

/** The skill whose tool has this name. A digest cannot be reversed, so the names of all skills are compared with it. */
export async function skillOfTool(name: string, catalog: Catalog): Promise<Skill | BrokenSkill | undefined> {
  const mayBeCut = /_[0-9a-f]{32}$/.test(name);
  const skills = mayBeCut ? [...(await catalog.list()), ...(await catalog.broken())] : [];
  const cut = skills.find(({ id }) => toolName(id) === name);
  return catalog.find(cut?.id ?? name);
}
