import type { Actor } from '@ambit/core/audit';
import type { AppDeps } from '../app-deps.ts';
import { asRefusal, type Refusal } from './refusal.ts';

/** A request that was refused by this transport. */
export interface RefusedRequest {
  executionId: string;
  /** `null` when nobody could be told. */
  actor: Actor | null;
  /** Method and path; never the query, which may hold what nobody should keep. */
  request: string;
}

const requestCharactersMax = 200;

/**
 * Writes the one record that a refused request leaves, and hands back the refusal to answer with: the same, or
 * `AUDIT_UNAVAILABLE` when the log cannot take it.
 */
export async function recordRefusal(
  deps: AppDeps,
  refused: RefusedRequest,
  refusal: Refusal,
): Promise<Refusal> {
  // A log that is gone cannot take the news that it is gone.
  if (refusal.code === 'AUDIT_UNAVAILABLE') return refusal;
  try {
    await deps.execute.audit.append({
      ...refused,
      kind: refusal.code === 'UNAUTHENTICATED' ? 'auth.rejected' : 'request.denied',
      time: deps.execute.now(),
      via: 'http',
      request: refused.request.slice(0, requestCharactersMax),
      code: refusal.code,
      message: refusal.message,
    });
    return refusal;
  } catch (error) {
    return asRefusal(error, deps);
  }
}
