import { setTimeout as delay } from 'node:timers/promises';

/** Without a pause, a test that waits for a lease would take all of a core. */
const pauseMs = 20;

/** Repeats a request until it returns a value. */
export async function until<T>(ask: () => Promise<T | false | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await delay(pauseMs);
  }
}
