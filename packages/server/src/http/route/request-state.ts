import type { ProblemCode } from '@ambit/api';
import type { Actor, CallRecord, Confirmation } from '@ambit/core/audit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessScope } from '../../auth/access/access-scope.ts';
import type { KeyRights } from '../../auth/key-rights.ts';
import type { ConsoleSession } from '../../console/console-sessions.ts';
import type { ObservedRequest } from './app-deps.ts';

/** The end of a request, for the log. */
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
    /** `cli` for a request on the private socket that brings no key. */
    via: 'http' | 'cli';
    /** The rights of that key; `null` until it is accepted, and for open routes. */
    rights: KeyRights | null;
    /** The session of the web console that sent it; `null`: a key did. */
    session: ConsoleSession | null;
    /** The code that a person gave for this request; `null`: none was needed. */
    confirmation: Confirmation | null;
    /** Confirms the decision of a session, or throws; `null`: this request is no decision of a session. */
    confirm: ((decision: string) => Confirmation) | null;
    /**
     * Whether the audit log already has a record of this request: `executeSkill` records its own
     * refusals.
     */
    recorded: boolean;
    /** The reason why the node that the request is about cannot be reached; `null`: it can, or there is none. */
    unreachable: Error | null;
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
  app.decorateRequest('via', 'http');
  app.decorateRequest('rights', null);
  app.decorateRequest('session', null);
  app.decorateRequest('confirmation', null);
  app.decorateRequest('confirm', null);
  app.decorateRequest('recorded', false);
  app.decorateRequest('unreachable', null);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('ended', null);
  app.decorateRequest('observed', null);
}

/**
 * The access scope of a request's caller. Routes use it for all access to skills, prompts and the
 * log.
 */
export type AccessFor = (request: FastifyRequest) => AccessScope;

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

/** Routed as `/console/`, which redirects it there. A route of its own would only redirect, and be no operation. */
export const consoleUrl = '/console';

/** Longer stacks are cut in the log. */
const stackCharactersMax = 4000;

/** Describes the end of a request, for the log. */
export function describeEnd(ended: RequestEnd | null): object {
  if (ended === null) return {};
  if (!('code' in ended)) return ended;
  const { code, cause } = ended;
  return cause === undefined ? { code } : { code, err: describeCause(cause) };
}

/** Describes an error without its other fields: libraries attach their arguments, which may be an input. */
function describeCause(cause: unknown): object {
  if (!(cause instanceof Error)) return { message: String(cause).slice(0, stackCharactersMax) };
  const { name, stack = cause.message } = cause;
  return {
    type: name,
    code: 'code' in cause ? cause.code : undefined,
    stack: stack.slice(0, stackCharactersMax),
  };
}
