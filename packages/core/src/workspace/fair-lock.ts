import { SkillError } from '../execute/skill-error.ts';

/** One at a time, in the order in which they came. */
export interface FairLock {
  /**
   * Resolves to what ends the turn, or to `undefined` when `signal` aborts first. Throws `WORKSPACE_BUSY` when as many
   * wait as may.
   */
  acquire(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Whether nobody has the turn or waits for it. */
  isIdle(): boolean;
  /** How many wait for it. */
  waiting(): number;
}

/** Nobody's turn yet; `waitingMax` may wait. */
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
          `a call has the workspace and ${queue.size} wait for it, which is all that may; try again when some have ended, or use another workspace`,
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
