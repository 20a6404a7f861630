import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** What a stop waits for, and for how long. */
export interface Drain {
  /** Resolves when nothing runs. */
  settled(): Promise<unknown>;
  mostMs: number;
  /** Aborted by whoever will not wait. */
  hurry: AbortSignal;
}

/** Lets what runs come to its own end. Resolves to why it waits no longer; what runs then is to be canceled. */
export async function drain({ settled, mostMs, hurry }: Drain): Promise<'settled' | 'late' | 'hurried'> {
  if (hurry.aborted) return 'hurried';
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      settled().then(() => 'settled' as const),
      delay(mostMs, 'late' as const, { signal }),
      once(hurry, 'abort', { signal }).then(() => 'hurried' as const),
    ]);
  } finally {
    over.abort();
  }
}
