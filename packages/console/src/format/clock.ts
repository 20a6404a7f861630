/** The time by which the daemon's clock is ahead of the browser's, which may be wrong. In milliseconds. */
let aheadMs = 0;

/** A header `date` has only seconds, so a smaller difference means nothing. */
export const noticedMs = 5000;

/** Takes the daemon's time from the `date` of a response. */
export function noteClock(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  aheadMs = Math.abs(difference) > noticedMs ? difference : 0;
}

/** Now, by the daemon's clock: milliseconds since the epoch. */
export function daemonNow(): number {
  return Date.now() + aheadMs;
}
