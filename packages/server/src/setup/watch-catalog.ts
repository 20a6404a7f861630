import type { Catalog, Skill } from '@ambit/core';

/** The interval at which the skills are scanned. */
const everyMs = 2000;

/** The largest share of time that scanning may take, however many skills there are. */
const share = 1 / 10;

/**
 * Scans the skills periodically and calls `changed` when their list changes. `current` returns the catalog in force, or
 * `undefined` to pause. Returns a function that stops scanning. The timer does not keep the process alive.
 */
export function watchCatalog(
  current: () => Pick<Catalog, 'list'> | undefined,
  changed: () => Promise<void>,
): () => void {
  let seen: readonly Skill[] | undefined;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const next = (waitMs: number): void => {
    timer = setTimeout(() => void scan(), waitMs).unref();
  };
  const scan = async (): Promise<void> => {
    const startedAt = performance.now();
    // A failed scan is repeated later.
    const skills = await current()
      ?.list()
      .catch(() => seen);
    const tookMs = performance.now() - startedAt;
    const hasChanged = seen !== undefined && skills !== seen;
    seen = skills;
    if (hasChanged && !stopped) await changed();
    if (!stopped) next(Math.max(everyMs, tookMs / share));
  };
  next(0);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
