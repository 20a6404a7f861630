import type { Actor, CallRecord } from '@ambit/core/audit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyRights } from '../auth/key-rights.ts';
import type { ObservedRequest } from './observe-requests.ts';
import type { ProblemCode } from './problem/answers.ts';

/** How a request ended, for the log. */
export type RequestEnd =
  /** For a batch: the outcome of the first call that did not succeed. */
  | { outcome: CallRecord['outcome'] }
  /** The stored response of another call was sent. */
  | { replayOf: string }
  | { code: ProblemCode; cause: unknown };

declare module 'fastify' {
  interface FastifyRequest {
    /** `null` until a key is recognized. */
    actor: Actor | null;
    /** The rights of that key; `null` until it is accepted, and for open routes. */
    rights: KeyRights | null;
    /**
     * Whether the audit log already has a record of this request: `executeSkill` records its own
     * refusals.
     */
    recorded: boolean;
    /** Approximate size of the parsed body in memory; 0 without one. */
    bodyBytes: number;
    /** `null` for a request that was neither a call nor refused. */
    ended: RequestEnd | null;
    /** The observation of this request; `null` until it begins. */
    observed: ObservedRequest | null;
  }
}

/** Adds the fields above to every request; Fastify requires this before the first request. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('rights', null);
  app.decorateRequest('recorded', false);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('ended', null);
  app.decorateRequest('observed', null);
}

/** The rights of the caller's key. Not for open routes, which have no key. */
export function rightsOf({ rights }: FastifyRequest): KeyRights {
  if (rights === null) throw new Error('an open route needs the rights of a key');
  return rights;
}

/** Method and path, without the query. */
export function methodAndPath(request: FastifyRequest): string {
  return `${request.method} ${pathOf(request)}`;
}

/** The requested path, without the query. */
export function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?', 1)[0] ?? '';
}
