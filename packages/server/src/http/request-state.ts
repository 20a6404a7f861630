import type { Actor, OutcomeStatus } from '@ambit/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProblemCode } from './problem/answers.ts';

/** How a request ended, for the log. */
export type RequestEnd = { outcome: OutcomeStatus } | { code: ProblemCode; cause: unknown };

declare module 'fastify' {
  interface FastifyRequest {
    /** `null` until the key has been accepted. */
    actor: Actor | null;
    /** Whether the audit log holds this request already: `executeSkill` writes its own refusals. */
    recorded: boolean;
    /** `null` for a request that was neither a call nor refused. */
    ended: RequestEnd | null;
  }
  interface FastifyContextConfig {
    /** The route answers anybody. */
    open?: true;
  }
}

/** Gives every request the fields above; Fastify wants them declared before any request comes. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('recorded', false);
  app.decorateRequest('ended', null);
}

/** What was asked for, without the query. */
export function methodAndPath(request: FastifyRequest): string {
  return `${request.method} ${pathOf(request)}`;
}

export function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?', 1)[0] ?? '';
}
