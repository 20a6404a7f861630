import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import { isBroken, skillNamed } from '@ambit/core/skill';
import { whileSame } from '../../while-same.ts';

/**
 * A catalog limited to some skills. Any other skill, also a broken one, is missing. An alias means what it means in
 * the whole catalog, or nothing.
 */
export function visibleCatalog(catalog: Catalog, isVisible: (id: string) => boolean): Catalog {
  const shown = withoutConflict();
  const visible = whileSame((skills: readonly Skill[]) =>
    skills.filter(({ id }) => isVisible(id)).map(shown),
  );
  const visibleBroken = whileSame((broken: readonly BrokenSkill[]) =>
    broken.filter(({ id }) => isVisible(id)),
  );
  const list = async () => visible(await catalog.list());
  const broken = async () => visibleBroken(await catalog.broken());
  /** A name without its namespace, which only visible skills can have. */
  const named = async (id: string) => skillNamed(id, { skills: await list(), broken: await broken() });
  return {
    list,
    broken,
    async find(id) {
      const found = isVisible(id) ? await catalog.find(id) : undefined;
      if (found?.id !== id || 'code' in found) return named(id);
      return isBroken(found) ? found : shown(found);
    },
  };
}

/** Hides why an alias is ignored: the reason can be a hidden skill. */
function withoutConflict(): (skill: Skill) => Skill {
  const hidden = whileSame(({ aliasConflict, ...skill }: Skill): Skill => {
    return { ...skill, warnings: skill.warnings.filter((warning) => warning !== aliasConflict) };
  });
  return (skill) => (skill.aliasConflict === undefined ? skill : hidden(skill));
}
