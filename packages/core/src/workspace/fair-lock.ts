import { SkillError } from '../outcome/skill-error.ts';

/** A mutex that is acquired in order of arrival. */
export interface FairLock {
  /**
   * Resolves to a function that releases the lock, or to `undefined` if `signal` aborts first.
   * Throws `WORKSPACE_BUSY` if too many wait.
   */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Whether the lock is free and nothing waits for it. */
  isIdle(): boolean;
  /** The number of waiters. */
  waiting(): number;
}

/** A free lock that `waitingMax` callers may wait for. */
export function fairLock(waitingMax: number): FairLock {
  const queue = new Set<() => void>();
  let isTaken = false;

  const take = (): (() => void) => {
    isTaken = true;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      isTaken = false;
      const [next] = queue;
      next?.();
    };
  };

  return {
    async acquire(signal) {
      if (signal.aborted) return undefined;
      if (!isTaken) return take();
      if (queue.size >= waitingMax) {
        throw new SkillError(
          'WORKSPACE_BUSY',
          `workspace busy: 1 call running, ${queue.size} waiting; try again later, or use another workspace`,
        );
      }
      return new Promise((resolve) => {
        const abort = (): void => {
          queue.delete(admit);
          resolve(undefined);
        };
        const admit = (): void => {
          queue.delete(admit);
          signal.removeEventListener('abort', abort);
          resolve(take());
        };
        queue.add(admit);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    isIdle: () => !isTaken && queue.size === 0,
    waiting: () => queue.size,
  };
}
