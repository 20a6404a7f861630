import { setTimeout as delay } from 'node:timers/promises';

/**
 * The result of `given`; `undefined` if that takes longer than `ms` milliseconds. The wait keeps the process alive: without a timer
 * of its own, a promise that nothing can settle any more would end the process in the middle of a stop.
 */
export async function withinTime<T>(ms: number, given: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([given, late]);
  } finally {
    over.abort();
  }
}
