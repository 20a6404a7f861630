import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The time in which every turn of the event loop checks. Short waits for the kernel then end
 * immediately.
 */
const eagerMs = 2;

/**
 * Waits for a condition, and resolves to whether it came true within `waitMs`. Checks often at
 * first, then less and less often.
 */
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
