import type { Catalog, Skill } from '@ambit/core';

/** How often the skills are looked at while no call does. */
const everyMs = 2000;

/** Looking takes at most this part of the time, however many skills there are. */
const share = 1 / 50;

/**
 * Calls `changed` when the list of skills is another than before, and waits for it, until the function that it returns is
 * called. `current` is the catalog in force; `undefined` when nobody needs to know. It does not keep the process alive.
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
    // What cannot be read now is looked at again.
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
