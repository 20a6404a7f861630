import type { Catalog } from '@ambit/core';

/** A catalog in which only some skills are: any other, broken ones too, is as if it were not there. */
export function visibleCatalog(catalog: Catalog, skills: ReadonlySet<string>): Catalog {
  const list = whileSame(skills);
  const broken = whileSame(skills);
  return {
    find: async (id) => (skills.has(id) ? catalog.find(id) : undefined),
    list: async () => list(await catalog.list()),
    broken: async () => broken(await catalog.broken()),
  };
}

/** The same array for the same array: what is derived from a catalog's is kept for as long as it is. */
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
