import { UnsendableError } from '../failure/unsendable-error.ts';
import type { RequestOptions } from '../request/end-of.ts';

/** Options for a call. */
export interface CallOptions extends RequestOptions {
  /**
   * The daemon runs the call once per key, so that a request without a response can be sent again.
   * `true` creates a key. Absent: the request is sent once. The daemon stores the response on disk
   * while the key is valid, by default for a day. 1 to 255 ASCII characters.
   */
  idempotencyKey?: string | true | undefined;
}

/** The key of a call; `undefined`: none. Throws an `UnsendableError` for an invalid key. */
export function keyOf({ idempotencyKey: key }: CallOptions): string | undefined {
  if (key === true) return crypto.randomUUID();
  if (key === undefined || /^[ -~]{1,255}$/.test(key)) return key;
  throw new UnsendableError('idempotencyKey must have 1 to 255 ASCII characters; pass true to create one');
}

/** The headers of a call with a key, in the format of draft-ietf-httpapi-idempotency-key-header. */
export function keyHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'idempotency-key': `"${key.replaceAll(/["\\]/g, '\\$&')}"` };
}
