import type { Catalog } from '@ambit/core';

/** A catalog limited to some skills. Any other skill, also a broken one, is missing. */
export function visibleCatalog(catalog: Catalog, skills: ReadonlySet<string>): Catalog {
  const list = whileSame(skills);
  const broken = whileSame(skills);
  return {
    find: async (id) => (skills.has(id) ? catalog.find(id) : undefined),
    list: async () => list(await catalog.list()),
    broken: async () => broken(await catalog.broken()),
  };
}

/** Returns the same array for the same array, because other modules cache by it. */
function whileSame(
  skills: ReadonlySet<string>,
): <Each extends { readonly id: string }>(all: readonly Each[]) => readonly Each[] {
  const shown = new WeakMap<readonly unknown[], readonly unknown[]>();
  return <Each extends { readonly id: string }>(all: readonly Each[]) => {
    const known = (shown.get(all) as readonly Each[] | undefined) ?? all.filter(({ id }) => skills.has(id));
    shown.set(all, known);
    return known;
  };
}
