/** Limits a timeout: timers fire immediately if set to more than this or to infinity. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}
