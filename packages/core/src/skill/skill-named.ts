import type { BrokenSkill } from './catalog.ts';
import { partsOfId, plainId } from './id-parts.ts';
import type { Skill } from './skill.ts';

/**
 * The skill with this id, also as the name of its tool (`acme__docx`), or the only skill with this name, or else the skill
 * with this alias. If several skills have the name, all in namespaces, the result is a `BrokenSkill` with the code
 * `SKILL_AMBIGUOUS`.
 */
export function skillNamed(
  id: string,
  { skills, broken }: { skills: readonly Skill[]; broken: readonly BrokenSkill[] },
): Skill | BrokenSkill | undefined {
  const all = [...skills, ...broken];
  const exact =
    all.find((each) => each.id === id) ??
    (id.includes('__') ? all.find((each) => plainId(each.id) === id) : undefined);
  if (exact !== undefined) return exact;
  const found = all.filter((each) => partsOfId(each.id).name === id);
  const ids = [...new Set(found.map((each) => each.id))].sort();
  if (ids.length < 2) return found[0] ?? skills.find(({ alias }) => alias === id);
  return {
    id,
    root: '',
    code: 'SKILL_AMBIGUOUS',
    problem: `${ids.join(', ')} have this name; use one of these ids`,
  };
}
