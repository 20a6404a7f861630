import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** How long it is asked at every turn of the event loop: what takes the kernel moments is then known at once. */
const eagerMs = 2;

/** Resolves to whether a condition has come true within `waitMs`. It is asked often at first, then ever more rarely. */
export async function until(condition: () => boolean, waitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const startedAt = performance.now();
  for (let pauseMs = 1; !condition(); ) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > waitMs) return false;
    if (waitedMs < eagerMs) {
      await nextTurn();
    } else {
      await delay(pauseMs);
      pauseMs = Math.min(2 * pauseMs, 32);
    }
  }
  return true;
}
