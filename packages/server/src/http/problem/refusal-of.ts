import type { AppDeps } from '../app-deps.ts';
import { asRefusal, Refusal, shuttingDown } from './refusal.ts';

/**
 * The refusal for any error thrown while a request was handled: `SHUTTING_DOWN` if shutdown
 * interrupted it. `OVERLOADED` gets a `Retry-After`.
 */
export function refusalOf(deps: AppDeps, error: unknown): Refusal {
  const isStopping = deps.shutdown.aborted && error === deps.shutdown.reason;
  const refusal = isStopping ? shuttingDown() : asRefusal(error, deps);
  if (refusal.code !== 'OVERLOADED' || refusal.headers['retry-after'] !== undefined) return refusal;
  const headers = { ...refusal.headers, 'retry-after': String(deps.retryAfterSeconds()) };
  return new Refusal(refusal.code, refusal.message, { ...refusal, cause: refusal.cause, headers });
}
