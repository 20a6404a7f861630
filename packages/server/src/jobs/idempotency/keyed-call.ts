import { createHash } from 'node:crypto';
import type { KeyedCall } from './idempotency.ts';

/** A use of an idempotency key. */
export interface KeyUse {
  /** The owner of the key. Keys of different callers are independent. */
  actor: string;
  /** The route without path parameters. A key is for one route. */
  route: string;
  key: string;
  /** A digest of the path and the body, as JSON. */
  fingerprint: string;
}

/** A use of a key in its stored form, which contains only digests. */
export function keyedCall({ actor, route, key, fingerprint }: KeyUse, executionId: string): KeyedCall {
  return {
    actor,
    owner: sha256(actor).slice(0, 16),
    name: sha256(JSON.stringify([actor, route, key])),
    fingerprint,
    executionId,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
