import type { Catalog } from '@ambit/core';
import { skillNamed, whenKnown } from '@ambit/core/internal';

/** A catalog limited to some skills. Any other skill, also a broken one, is missing. */
export function visibleCatalog(catalog: Catalog, isVisible: (id: string) => boolean): Catalog {
  const visible = whileSame(isVisible);
  const visibleBroken = whileSame(isVisible);
  const list = async () => visible(await catalog.list());
  const broken = async () => visibleBroken(await catalog.broken());
  /** A name without its namespace, which only visible skills can have. */
  const named = async (id: string) => skillNamed(id, { skills: await list(), broken: await broken() });
  return {
    ...{ list, broken },
    find: (id) =>
      isVisible(id)
        ? whenKnown(catalog.find(id), (found) => (found?.id === id && !('code' in found) ? found : named(id)))
        : named(id),
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
