/** A rate limit per name: a burst of one minute's requests, then one at a time. */
export interface RateLimiter {
  /**
   * Takes one token. Returns 0, or the milliseconds until one is available; then none was taken.
   */
  take(name: string, perMinute: number): number;
  /** Forgets all other names. */
  retain(names: ReadonlySet<string>): void;
}

/** The rates of keys that the nodes of a cluster share. A node borrows the requests of about a second in one step. */
export interface SharedRates {
  /**
   * Takes one borrowed request. Returns 0, or the milliseconds until more can be borrowed, or `undefined` if `borrow` has to
   * be asked.
   */
  take(name: string, perMinute: number): number | undefined;
  /**
   * Borrows requests and takes one. Resolves to 0, or to the milliseconds until one is available. Rejects with
   * `STORE_UNAVAILABLE`.
   */
  borrow(name: string, perMinute: number): Promise<number>;
  /** Forgets all other names. */
  retain(names: ReadonlySet<string>): void;
}

/**
 * A bucket gains the rate per minute each millisecond, so one request costs the milliseconds of a
 * minute.
 */
const oneRequest = 60_000;

/**
 * A token bucket per name, full at first. `now` is in milliseconds; a clock that goes back adds
 * nothing.
 */
export function rateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(name, perMinute) {
      const time = now();
      const capacity = perMinute * oneRequest;
      const bucket = buckets.get(name) ?? { left: capacity, at: time };
      const left = Math.min(capacity, bucket.left + Math.max(0, time - bucket.at) * perMinute);
      const isAvailable = left >= oneRequest;
      buckets.set(name, { left: isAvailable ? left - oneRequest : left, at: time });
      return isAvailable ? 0 : Math.ceil((oneRequest - left) / perMinute);
    },
    retain(names) {
      for (const name of buckets.keys()) if (!names.has(name)) buckets.delete(name);
    },
  };
}
