import type { ProblemCode } from '@ambit/api';
import type { Actor } from '@ambit/core/audit';
import { messageOf } from '../problem/problem.ts';
import { asRefusal, type HttpRefusal } from '../problem/refusal.ts';
import type { AppDeps } from '../route/app-deps.ts';

/** A request that the HTTP transport refused. */
export interface RefusedRequest {
  executionId: string;
  via: 'http' | 'cli';
  /** `null` if the caller is unknown. */
  actor: Actor | null;
  /** Method and path. The query is left out because it may hold sensitive data. */
  request: string;
}

/** Refusals because of a key, a session or a code. */
const rejects: ReadonlySet<ProblemCode> = new Set(['UNAUTHENTICATED', 'CODE_INVALID', 'SESSION_ELSEWHERE']);

const requestCharactersMax = 200;

/**
 * Writes the one record of a refused request and returns the refusal to answer with: the given one,
 * or `AUDIT_UNAVAILABLE` if the log cannot be written.
 */
export async function recordRefusal(
  deps: AppDeps,
  refused: RefusedRequest,
  refusal: HttpRefusal,
): Promise<HttpRefusal> {
  // The log cannot record that it is unavailable.
  if (refusal.code === 'AUDIT_UNAVAILABLE') return refusal;
  try {
    await deps.execute.audit.append({
      ...refused,
      kind: rejects.has(refusal.code) ? 'auth.rejected' : 'request.denied',
      time: deps.execute.now(),
      request: refused.request.slice(0, requestCharactersMax),
      code: refusal.code,
      message: messageOf(refusal),
    });
    return refusal;
  } catch (error) {
    return asRefusal(error, deps);
  }
}
