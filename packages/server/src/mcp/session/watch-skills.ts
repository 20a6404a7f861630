import type { Skill } from '@ambit/core';
import type { McpDeps } from '../mcp-deps.ts';

/** How often the skills are looked at while somebody listens and nobody asks. */
const everyMs = 10_000;

/** Finds out when a client would be listed other skills or tools. */
export interface SkillObserver {
  /** Looks now; calls back when something changed since it was last looked. Never rejects. */
  look(): Promise<void>;
  close(): void;
}

/**
 * Calls `changed` when the catalog's list or `untrustedTools` differs from before: whenever it is told to look, and by
 * itself while `isHeard` says that somebody listens. Its timer keeps no process alive.
 */
export function watchSkills(
  deps: Pick<McpDeps, 'execute' | 'untrustedTools'>,
  isHeard: () => boolean,
  changed: () => void,
): SkillObserver {
  let seen: readonly Skill[] | undefined;
  let seenUntrusted = deps.untrustedTools;
  const look = async (): Promise<void> => {
    const now = await deps.execute.catalog.list().catch(() => seen);
    const { untrustedTools } = deps;
    const isChanged = (seen !== undefined && seen !== now) || seenUntrusted !== untrustedTools;
    seen = now;
    seenUntrusted = untrustedTools;
    if (isChanged) changed();
  };
  const timer = setInterval(() => {
    if (isHeard()) void look();
  }, everyMs);
  timer.unref();
  return { look, close: () => clearInterval(timer) };
}
