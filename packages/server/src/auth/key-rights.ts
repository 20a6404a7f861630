import type { Scope } from '@ambit/api';
import type { Actor } from '@ambit/core/audit';
import type { Narrowing } from '@ambit/core/execute';

/** The rights of a caller's key. The same object until the keys change. */
export interface KeyRights {
  /** The caller's name in the log. */
  actor: Actor;
  scopes: readonly Scope[];
  /** The skills that it may use; `undefined`: all. */
  skills: ReadonlySet<string> | undefined;
  /** The upper bound of its calls; `undefined`: what the policy grants. */
  ceiling: Narrowing | undefined;
  /** Whether the key is still valid: for long responses. */
  holds(): boolean;
  /**
   * Aborts its running calls when the key is revoked. Not when it expires: running calls then
   * finish.
   */
  revoked: AbortSignal;
}

/** The caller's rights, or why the key is refused. Times are ISO 8601. */
export type Authentication =
  | { status: 'accepted'; rights: KeyRights }
  | { status: 'missing' | 'malformed' | 'wrong' }
  | { status: 'expired' | 'revoked'; actor: Actor; since: string }
  /**
   * A valid key that exceeded its rate, with the milliseconds until its next request is accepted.
   */
  | { status: 'limited'; actor: Actor; retryAfterMs: number };

/** A valid key whose rate other nodes share: whether this request is within it has to be asked. */
export interface PendingAuthentication {
  status: 'borrowing';
  actor: Actor;
  /** Rejects with `STORE_UNAVAILABLE`. */
  settled: Promise<Authentication>;
}

/** Whether a key has a scope; `admin` includes all. */
export function hasScope({ scopes }: Pick<KeyRights, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}
