import { partsOfId, plainId } from './id-parts.ts';
import { aliasKey } from './read-alias.ts';
import type { Skill } from './skill.ts';

/**
 * Finds aliases that mean more than one thing, and returns why each is ignored. Case is ignored here, so that
 * no two ids look the same to a reader. The reason names no other skill: a caller may see only some of them.
 */
export function aliasConflicts(
  skills: readonly Pick<Skill, 'id' | 'alias'>[],
  broken: readonly { id: string }[],
): (skill: Pick<Skill, 'alias'>) => string | undefined {
  const counts = new Map<string, number>();
  for (const { alias } of skills)
    if (alias !== undefined) counts.set(plain(alias), (counts.get(plain(alias)) ?? 0) + 1);
  const names = new Set<string>();
  if (counts.size > 0)
    for (const { id } of [...skills, ...broken])
      for (const each of [id, plainId(id), partsOfId(id).name]) names.add(plain(each));
  return ({ alias }) => {
    if (alias === undefined) return undefined;
    const ignored = `metadata.${aliasKey} ${alias} is ignored: `;
    if (names.has(plain(alias))) return `${ignored}a skill has this name`;
    return (counts.get(plain(alias)) ?? 0) > 1 ? `${ignored}another skill has the same one` : undefined;
  };
}

function plain(text: string): string {
  return text.toLowerCase();
}

/** The skill without its alias, with the reason as a warning. */
export function withoutAlias({ alias: _ignored, ...skill }: Skill, aliasConflict: string): Skill {
  return { ...skill, aliasConflict, warnings: [...skill.warnings, aliasConflict] };
}

/** The id by which a list shows a skill: its alias, or else its id. */
export function listedId({ id, alias }: Pick<Skill, 'id' | 'alias'>): string {
  return alias ?? id;
}
