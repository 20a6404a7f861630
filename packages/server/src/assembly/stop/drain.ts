import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export interface Drain {
  /** Resolves when no call is running. */
  settled(): Promise<unknown>;
  maxMs: number;
  /** Ends the wait. */
  cancelNow: AbortSignal;
}

/** Waits for running calls to end. Resolves to the reason why it stopped waiting; the caller cancels the rest. */
export async function drain({ settled, maxMs, cancelNow }: Drain): Promise<'settled' | 'late' | 'canceled'> {
  if (cancelNow.aborted) return 'canceled';
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      settled().then(() => 'settled' as const),
      delay(maxMs, 'late' as const, { signal }),
      once(cancelNow, 'abort', { signal }).then(() => 'canceled' as const),
    ]);
  } finally {
    waiting.abort();
  }
}
