import { performance } from 'node:perf_hooks';
import type { Catalog } from '@ambit/core';
import type { FolderCatalog } from '@ambit/runtime';
import { type RefCounted, withLease } from './ref-counted.ts';

/**
 * A catalog for requests that arrive together: they share the check of a skill's folder. Once the event loop
 * has asked for more input, the folder is checked again, because a later request may follow an edit.
 */
export function sharedCatalog(catalog: RefCounted<FolderCatalog>): Catalog {
  const found = new Map<string, ReturnType<Catalog['find']>>();
  const { nodeTiming } = performance;
  let foundIn = 0;
  return {
    find(id) {
      // Counts how often the event loop has asked for input.
      const { loopCount } = nodeTiming.uvMetricsInfo;
      if (loopCount !== foundIn) found.clear();
      foundIn = loopCount;
      const finding = found.get(id) ?? withLease(catalog, (open) => open.find(id));
      found.set(id, finding);
      return finding;
    },
    list: () => withLease(catalog, (open) => open.list()),
    broken: () => withLease(catalog, (open) => open.broken()),
  };
}
