import type { Catalog, Skill } from '@ambit/core';

/** How often the skills are looked at while somebody listens and nobody asks. */
const everyMs = 10_000;

/** Finds out when the list of skills is another one. */
export interface SkillWatch {
  /** Looks now; calls back when something changed since it was last looked. Never rejects. */
  look(): Promise<void>;
  close(): void;
}

/**
 * Watches a catalog and calls `changed` when its list is another than before: whenever it is told to look, and by
 * itself while `isHeard` says that somebody listens. Its timer keeps no process alive.
 */
export function watchSkills(
  catalog: Pick<Catalog, 'list'>,
  isHeard: () => boolean,
  changed: () => void,
): SkillWatch {
  let seen: readonly Skill[] | undefined;
  const look = async (): Promise<void> => {
    const now = await catalog.list().catch(() => seen);
    const before = seen;
    seen = now;
    if (before !== undefined && before !== now) changed();
  };
  const timer = setInterval(() => {
    if (isHeard()) void look();
  }, everyMs);
  timer.unref();
  return { look, close: () => clearInterval(timer) };
}
