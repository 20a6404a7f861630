import { createHash } from 'node:crypto';
import type { KeyedCall } from './idempotency.ts';

/** What a key is used for. */
export interface KeyUse {
  /** Whose key it is: two callers' never meet. */
  actor: string;
  /** The route, without what is in its path: a key is for one of them. */
  route: string;
  key: string;
  /** A digest of what was asked for: of the path and the body, as JSON. */
  fingerprint: string;
}

/** A use of a key as it is kept: nothing of it can be read there. */
export function keyedCall({ actor, route, key, fingerprint }: KeyUse, executionId: string): KeyedCall {
  return {
    actor,
    owner: sha256(actor).slice(0, 16),
    name: sha256(JSON.stringify([actor, route, key])),
    ...{ fingerprint, executionId },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
