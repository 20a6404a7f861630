import type { Actor } from '@ambit/core/audit';
import type { Narrowing } from '@ambit/core/execute';
import type { Scope } from './scope.ts';

/** What whoever called may do, as its key says. The same object for as long as the keys do not change. */
export interface KeyRights {
  /** How the log calls it. */
  actor: Actor;
  scopes: readonly Scope[];
  /** The only skills there are for it; `undefined`: all. */
  skills: ReadonlySet<string> | undefined;
  /** What its calls have at most; `undefined`: what policy grants. */
  ceiling: Narrowing | undefined;
  /** Whether the key would still be accepted: for answers that go on for long. */
  holds(): boolean;
  /** Aborts when the key is revoked: for what it has begun. Not when it expires: what runs then runs to its end. */
  revoked: AbortSignal;
}

/** Who called, or why the key is not accepted. Times are ISO 8601. */
export type Authenticated =
  | { status: 'accepted'; rights: KeyRights }
  | { status: 'missing' | 'malformed' | 'wrong' }
  | { status: 'expired' | 'revoked'; actor: Actor; since: string }
  /** A good key that has been used too often; in so many milliseconds it is good for one request more. */
  | { status: 'limited'; actor: Actor; retryAfterMs: number };

/** Whether a key may be used for something: `admin` is for all of it. */
export function hasScope({ scopes }: Pick<KeyRights, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}
