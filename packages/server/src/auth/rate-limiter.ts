/** Counts requests against a rate a minute, each name by itself: as many at once as in a minute, then one by one. */
export interface RateLimiter {
  /** Takes one. 0 when there was one to take, else the milliseconds until there is; then nothing was taken. */
  take(name: string, perMinute: number): number;
  /** Forgets all names but these. */
  keep(names: ReadonlySet<string>): void;
}

/** What fills a bucket in a millisecond is the rate a minute, so that a request takes a minute's milliseconds. */
const oneRequest = 60_000;

/** A token bucket for each name, full at first. `now` in milliseconds; a clock that goes back gives nothing. */
export function rateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(name, perMinute) {
      const time = now();
      const most = perMinute * oneRequest;
      const bucket = buckets.get(name) ?? { left: most, at: time };
      const left = Math.min(most, bucket.left + Math.max(0, time - bucket.at) * perMinute);
      const isThere = left >= oneRequest;
      buckets.set(name, { left: isThere ? left - oneRequest : left, at: time });
      return isThere ? 0 : Math.ceil((oneRequest - left) / perMinute);
    },
    keep(names) {
      for (const name of buckets.keys()) if (!names.has(name)) buckets.delete(name);
    },
  };
}
