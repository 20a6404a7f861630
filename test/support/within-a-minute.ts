import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 60_000;

/** Waits until a condition holds. Rejects after a minute. */
export async function withinAMinute(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within a minute: ${what}`);
    await pause(200);
  }
}
