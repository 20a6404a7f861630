import type { ProblemCode } from '../problem/answers.ts';
import type { RouteContract } from './define-route.ts';

/** Every code with which a request to a route can be refused: by the transport, by what it holds, by the route itself. */
export function problemsOf({
  method,
  scope,
  params,
  query,
  headers,
  body,
  problems,
}: RouteContract): readonly ProblemCode[] {
  const isParsed = params ?? headers ?? body ?? query !== 'anything';
  const all: readonly ProblemCode[] = [
    ...atTheDoor,
    ...(scope === 'open' ? [] : forKeys),
    // One that is not sent as what it is: `/skills//execute`, or a percent sign that introduces nothing.
    ...(params === undefined ? [] : (['ROUTE_NOT_FOUND'] as const)),
    ...(method === 'GET' ? [] : forBodies),
    ...(isParsed ? (['REQUEST_INVALID'] as const) : []),
    ...problems,
  ];
  return [...new Set(all)];
}

const atTheDoor = [
  'REQUEST_UNREADABLE',
  'HOST_REFUSED',
  'ORIGIN_REFUSED',
  'SHUTTING_DOWN',
  // Nothing is refused without a record, unless there can be none.
  'AUDIT_UNAVAILABLE',
  'INTERNAL',
] as const;

const forKeys = [
  'UNAUTHENTICATED',
  'SCOPE_MISSING',
  'RATE_LIMITED',
  // When what a key sends, or does not read, takes as much memory as it may.
  'OVERLOADED',
] as const;

const forBodies = ['MEDIA_TYPE_UNSUPPORTED', 'BODY_TOO_LARGE', 'BODY_MALFORMED'] as const;
