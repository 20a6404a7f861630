import { now } from '../postgres/database-time.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';

/** A bucket gains the rate per minute each millisecond, so a request costs the milliseconds of a minute. */
const oneRequest = 60_000;

/** The remaining rates of keys, in a bucket per key that is full at first. Only in PostgreSQL. */
export const rateOperations = {
  /** Takes up to `requests` of the rate of a key. Without any, returns when one will be available. */
  *borrowRate(
    name: string,
    perMinute: number,
    requests: number,
  ): Transaction<{ granted: number; retryAfterMs: number }> {
    const capacity = perMinute * oneRequest;
    yield sql`
      INSERT INTO rates (name, left_ms, at) VALUES (${name}, ${capacity}, ${now}) ON CONFLICT (name) DO NOTHING`;
    const [bucket] = yield* rowsOf<{ left: number; at: number; time: number }>(
      sql`SELECT left_ms AS left, at, ${now} AS time FROM rates WHERE name = ${name} FOR UPDATE`,
    );
    if (bucket === undefined) return { granted: 0, retryAfterMs: 0 };
    const { at, time } = bucket;
    // A clock that goes back adds nothing.
    const left = Math.min(capacity, bucket.left + Math.max(0, time - at) * perMinute);
    const granted = Math.min(requests, Math.floor(left / oneRequest));
    yield sql`UPDATE rates SET left_ms = ${left - granted * oneRequest}, at = ${time} WHERE name = ${name}`;
    return { granted, retryAfterMs: granted > 0 ? 0 : Math.ceil((oneRequest - left) / perMinute) };
  },
};
