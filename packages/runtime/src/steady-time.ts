/**
 * The time in milliseconds since the epoch, in fractions, as what happens in a call is recorded. It never goes back,
 * even if the clock of the machine is set.
 */
export function steadyTime(): () => number {
  const origin = Date.now() - performance.now();
  return () => hundredths(origin + performance.now());
}

/** Rounds milliseconds: more digits would only make records longer. */
export function hundredths(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
