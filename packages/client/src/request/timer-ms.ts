/** What a timer can be set to: one that is set to more, or to infinity, rings at once. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}
