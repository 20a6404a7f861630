import { UnsendableError } from '../failure/unsendable-error.ts';
import type { RequestOptions } from '../request/end-of.ts';

/** How a call is made. */
export interface CallOptions extends RequestOptions {
  /**
   * Under which the daemon runs the call once, however often it is asked: with it, a request that got no answer is sent
   * again. `true`: a fresh one. Absent: it is sent once. The daemon keeps the answer on its disk for as long as the key
   * holds, a day unless it is told otherwise. 1 to 255 characters of ASCII.
   */
  idempotencyKey?: string | true | undefined;
}

/** The key that a call is made with; `undefined`: none. Throws an `UnsendableError` for what a daemon takes for none. */
export function keyOf({ idempotencyKey: key }: CallOptions): string | undefined {
  if (key === true) return crypto.randomUUID();
  if (key === undefined || /^[ -~]{1,255}$/.test(key)) return key;
  throw new UnsendableError('idempotencyKey must have 1 to 255 ASCII characters; pass true to create one');
}

/** The headers of a call under a key, in the form of draft-ietf-httpapi-idempotency-key-header. */
export function keyHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'idempotency-key': `"${key.replaceAll(/["\\]/g, '\\$&')}"` };
}
