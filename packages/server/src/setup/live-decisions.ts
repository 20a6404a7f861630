import { type Decisions, noDecisions, readDecisions } from '../installs/decisions.ts';
import type { Store } from '../store/store.ts';

/** What the operator decided about installed skills, as last read from the store. */
export interface LiveDecisions {
  /** The reason why they are unknown, until they have been read for the first time. */
  current(): Decisions | Error;
  /** Reads them again if they have changed. Resolves to whether they have. Does not reject: the last ones stay. */
  read(): Promise<boolean>;
}

/** Nothing is decided until `read`. */
export function liveDecisions(store: Pick<Store, 'run'>): LiveDecisions {
  let current: Decisions | Error = noDecisions;
  let isRead = false;
  return {
    current: () => current,
    async read() {
      try {
        const revision = await store.run('decisionsRevision');
        if (isRead && !(current instanceof Error) && current.revision === revision) return false;
        current = await readDecisions(store);
        isRead = true;
        return true;
      } catch (error) {
        if (!isRead) current = error as Error;
        return false;
      }
    },
  };
}
