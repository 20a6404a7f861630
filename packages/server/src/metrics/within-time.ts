import { setTimeout as delay } from 'node:timers/promises';

/** What `given` resolves to; `undefined` if it rejects or takes longer than `ms` milliseconds. */
export async function withinTime<T>(ms: number, given: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = delay(ms, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([given.catch(() => undefined), late]);
  } finally {
    over.abort();
  }
}
