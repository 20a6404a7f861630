import { type Decisions, noDecisions, readDecisions, withoutExpired } from '../installs/decisions.ts';
import type { Store } from '../store/store.ts';

/** The operator's decisions about installed skills, as last read from the store. */
export interface LiveDecisions {
  /** The reason why they are unknown, until they have been read for the first time. */
  current(): Decisions | Error;
  /**
   * Reads them again if they have changed. Resolves to whether they have. Does not reject: the last ones stay. While `hasLock`
   * says that this node does not have the cluster's lock file yet, a version whose approval was replaced by the one of a later
   * version stays approved: it is still the one in force.
   */
  read(hasLock?: () => Promise<boolean>): Promise<boolean>;
}

/** Nothing is decided until `read`. */
export function liveDecisions(store: Pick<Store, 'run'>, now: () => number = Date.now): LiveDecisions {
  let current: Decisions | Error = noDecisions;
  let isRead = false;
  let isFinal = true;
  return {
    current: () => current,
    async read(hasLock = () => Promise.resolve(true)) {
      // Also while the store cannot be read.
      const before = current;
      if (!(current instanceof Error)) current = withoutExpired(current, now());
      const hasEnded = current !== before;
      try {
        const revision = await store.run('decisionsRevision');
        const isSame = isRead && !(current instanceof Error) && current.revision === revision;
        if (isSame && isFinal) return hasEnded;
        const next = await readDecisions(store, now());
        // After the decisions: a change ends an approval only after the lock file has the next version.
        isFinal = await hasLock();
        if (isSame && !isFinal) return hasEnded;
        current = isFinal || current instanceof Error ? next : withReplaced(current, next);
        isRead = true;
        return true;
      } catch (error) {
        if (!isRead) current = error as Error;
        return hasEnded;
      }
    },
  };
}

/** `next`, with the former approvals of skills that have another one now. A skill without any was removed. */
function withReplaced({ approvals: previous }: Decisions, next: Decisions): Decisions {
  const idOf = (key: string): string => key.slice(0, key.indexOf(' '));
  const approved = new Set([...next.approvals.keys()].map(idOf));
  const replaced = [...previous].filter(([key]) => approved.has(idOf(key)));
  return { ...next, approvals: new Map([...replaced, ...next.approvals]) };
}
