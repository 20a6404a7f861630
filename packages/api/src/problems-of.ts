import type { ProblemCode } from './codes.ts';
import { type RouteContract, stepUpOf } from './contract.ts';

/**
 * Every code that a route can refuse a request with: from the transport, from parsing, and from the
 * route itself.
 */
export function problemsOf(contract: RouteContract): readonly ProblemCode[] {
  const { method, scope, params, query, headers, body, problems } = contract;
  const isParsed = params ?? headers ?? body ?? query !== 'anything';
  const all: readonly ProblemCode[] = [
    ...forAllRoutes,
    ...(scope === 'open' ? [] : forKeys),
    ...(stepUpOf(contract) === 'none' ? [] : (['CONFIRMATION_REQUIRED'] as const)),
    // For paths that do not decode to a parameter: `/skills//execute`, or an invalid percent
    // escape.
    ...(params === undefined ? [] : (['ROUTE_NOT_FOUND'] as const)),
    ...(method === 'GET' ? [] : forBodies),
    ...(isParsed ? (['REQUEST_INVALID'] as const) : []),
    ...problems,
  ];
  return [...new Set(all)];
}

const forAllRoutes = [
  'REQUEST_UNREADABLE',
  'HOST_REFUSED',
  'ORIGIN_REFUSED',
  'SHUTTING_DOWN',
  // A refusal needs a record; this code is for when none can be written.
  'AUDIT_UNAVAILABLE',
  'INTERNAL',
] as const;

const forKeys = [
  'UNAUTHENTICATED',
  'SESSION_ELSEWHERE',
  'SCOPE_MISSING',
  // At the address of a daemon on demand.
  'CONSOLE_ONLY',
  'RATE_LIMITED',
  // The keys are in a store that has been unreachable for too long.
  'STORE_UNAVAILABLE',
  // A key's unread responses and unfinished requests use the memory allowed.
  'OVERLOADED',
  // The node was retired.
  'LEASE_LOST',
] as const;

const forBodies = ['MEDIA_TYPE_UNSUPPORTED', 'BODY_TOO_LARGE', 'BODY_MALFORMED'] as const;
