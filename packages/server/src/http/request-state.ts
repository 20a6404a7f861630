import type { Actor, CallRecord } from '@ambit/core/audit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyRights } from '../auth/key-rights.ts';
import type { ObservedRequest } from './observe-requests.ts';
import type { ProblemCode } from './problem/answers.ts';

/** How a request ended, for the log. */
export type RequestEnd =
  /** Of a batch: that of the first call that did not succeed. */
  | { outcome: CallRecord['outcome'] }
  /** It was answered with what another call came to. */
  | { replayOf: string }
  | { code: ProblemCode; cause: unknown };

declare module 'fastify' {
  interface FastifyRequest {
    /** `null` until a key has been recognised. */
    actor: Actor | null;
    /** What that key may do; `null` until it has been accepted, and for routes that answer anybody. */
    rights: KeyRights | null;
    /** Whether the audit log holds this request already: `executeSkill` writes its own refusals. */
    recorded: boolean;
    /** What its body takes in memory, about; 0 without one. */
    bodyBytes: number;
    /** `null` for a request that was neither a call nor refused. */
    ended: RequestEnd | null;
    /** To whoever looks on; `null` until the request has begun. */
    observed: ObservedRequest | null;
  }
}

/** Gives every request the fields above; Fastify wants them declared before any request comes. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('rights', null);
  app.decorateRequest('recorded', false);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('ended', null);
  app.decorateRequest('observed', null);
}

/** What the caller's key may do. Only for routes that are not open: there somebody has been told. */
export function rightsOf({ rights }: FastifyRequest): KeyRights {
  if (rights === null) throw new Error('an open route asks for the rights of a key');
  return rights;
}

/** What was asked for, without the query. */
export function methodAndPath(request: FastifyRequest): string {
  return `${request.method} ${pathOf(request)}`;
}

/** What was asked for, without its method and its query. */
export function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?', 1)[0] ?? '';
}
