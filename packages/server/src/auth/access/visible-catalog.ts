import type { Catalog } from '@ambit/core';
import { skillNamed } from '@ambit/core/internal';

/** A catalog limited to some skills. Any other skill, also a broken one, is missing. */
export function visibleCatalog(catalog: Catalog, isVisible: (id: string) => boolean): Catalog {
  const visible = whileSame(isVisible);
  const visibleBroken = whileSame(isVisible);
  const list = async () => visible(await catalog.list());
  const broken = async () => visibleBroken(await catalog.broken());
  return {
    ...{ list, broken },
    async find(id) {
      const found = isVisible(id) ? await catalog.find(id) : undefined;
      if (found?.id === id && !('code' in found)) return found;
      // A name without its namespace, which only visible skills can have.
      return skillNamed(id, { skills: await list(), broken: await broken() });
    },
  };
}

/** Returns the same array for the same array, because other modules cache by it. */
function whileSame(
  isVisible: (id: string) => boolean,
): <Each extends { readonly id: string }>(all: readonly Each[]) => readonly Each[] {
  const shown = new WeakMap<readonly unknown[], readonly unknown[]>();
  return <Each extends { readonly id: string }>(all: readonly Each[]) => {
    const known = (shown.get(all) as readonly Each[] | undefined) ?? all.filter(({ id }) => isVisible(id));
    shown.set(all, known);
    return known;
  };
}
