import type { Catalog, Skill } from '@ambit/core';

/** How often the skills are scanned. */
const everyMs = 2000;

/** The largest share of time that scanning may take, however many skills there are. */
const share = 1 / 10;

/**
 * Calls `changed` whenever the list of skills changes, without waiting for a call to notice. `current` returns the catalog in
 * force, or `undefined` to pause. Returns a function that stops it; the timer does not keep the process alive.
 */
export function watchCatalog(
  current: () => Pick<Catalog, 'list'> | undefined,
  changed: () => Promise<void>,
): () => void {
  let seen: readonly Skill[] | undefined;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const next = (waitMs: number): void => {
    timer = setTimeout(() => void look(), waitMs).unref();
  };
  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    // A failed scan is repeated later.
    const skills = await current()
      ?.list()
      .catch(() => seen);
    const tookMs = performance.now() - startedAt;
    const isOther = seen !== undefined && skills !== seen;
    seen = skills;
    if (isOther && !stopped) await changed();
    if (!stopped) next(Math.max(everyMs, tookMs / share));
  };
  next(0);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
