import type { SkillErrorCode } from '@ambit/core';

/** Why the HTTP transport itself refuses a request, before any skill is concerned. */
export const transportCodes = [
  /** Not HTTP, or more of it than is read. */
  'REQUEST_UNREADABLE',
  /** The `Host` header names another server: DNS rebinding looks like this. */
  'HOST_REFUSED',
  /** A web page of another origin asks. */
  'ORIGIN_REFUSED',
  'UNAUTHENTICATED',
  /** The key is good, and not for this. */
  'SCOPE_MISSING',
  /** The key has been used more often than its rate allows. */
  'RATE_LIMITED',
  'SHUTTING_DOWN',
  'ROUTE_NOT_FOUND',
  /** The skill has no such file, or what lies there now is not what the skill's digest covers. */
  'FILE_NOT_FOUND',
  /** A file is not, or not any more, as `If-Match` or `If-None-Match` says. */
  'PRECONDITION_FAILED',
  /** The log has no such record, or not what was asked of it. */
  'RECORD_NOT_FOUND',
  /** There is no such execution, or it is another key's. */
  'EXECUTION_NOT_FOUND',
  /** The idempotency key was used for another request. */
  'IDEMPOTENCY_KEY_REUSED',
  /** The call that has the idempotency key was broken off: nobody knows what it did. */
  'IDEMPOTENCY_INTERRUPTED',
  /** An answer could not be kept under its idempotency key, so the call is not run. */
  'IDEMPOTENCY_UNAVAILABLE',
  'METHOD_NOT_ALLOWED',
  'MEDIA_TYPE_UNSUPPORTED',
  'BODY_TOO_LARGE',
  /** Not UTF-8, not JSON, or JSON that no two readers need understand alike. */
  'BODY_MALFORMED',
  /** JSON or a query of another shape than the route asks for. */
  'REQUEST_INVALID',
] as const;

type DoorCode = (typeof transportCodes)[number];
/** Every code that a request can be refused with. */
export type ProblemCode = SkillErrorCode | DoorCode;

/**
 * How each code is answered: the one table from code to status. A skill that ran and ended badly is not in here: that
 * is an answered call, status 200, and its outcome says how it ended.
 */
export const answers = {
  SKILL_NOT_FOUND: { status: 404, title: 'No such skill' },
  SKILL_NOT_EXECUTABLE: { status: 422, title: 'The skill has nothing to run' },
  SKILL_INVALID: { status: 422, title: 'The skill cannot be used as it is' },
  SKILL_CHANGED: { status: 409, title: 'The skill has changed since it was read' },
  SKILL_CYCLE: { status: 422, title: 'Skills need one another in a circle' },
  INPUT_INVALID: { status: 422, title: 'The input does not fit the skill' },
  CAPABILITY_DENIED: { status: 403, title: 'The skill needs something that is not granted' },
  CAPABILITY_UNSUPPORTED: { status: 501, title: 'This version cannot enforce what the skill needs' },
  SANDBOX_UNAVAILABLE: { status: 503, title: 'No sandbox to run it in' },
  // Not 503, which clients and proxies send again: it takes an operator.
  PROGRAM_MISSING: { status: 501, title: 'A program that the skill needs is not installed' },
  SECRET_UNAVAILABLE: { status: 503, title: 'A secret cannot be had' },
  AUDIT_UNAVAILABLE: { status: 503, title: 'The audit log is not available' },
  WORKSPACE_NOT_FOUND: { status: 404, title: 'No such workspace' },
  WORKSPACE_FILE_NOT_FOUND: { status: 404, title: 'No such file in the workspace' },
  WORKSPACE_BUSY: { status: 409, title: 'Too many wait for the workspace' },
  WORKSPACE_FULL: { status: 413, title: 'The workspace cannot hold it' },
  WORKSPACE_LIMIT: { status: 409, title: 'No more workspaces for this key' },
  OVERLOADED: { status: 503, title: 'Too many calls at once' },
  INTERNAL: { status: 500, title: 'A fault of Ambit itself' },
  REQUEST_UNREADABLE: { status: 400, title: 'Not a readable HTTP request' },
  HOST_REFUSED: { status: 403, title: 'Called by a name that is not its own' },
  ORIGIN_REFUSED: { status: 403, title: 'Called by a web page of another origin' },
  UNAUTHENTICATED: { status: 401, title: 'No valid key' },
  SCOPE_MISSING: { status: 403, title: 'The key is not for this' },
  RATE_LIMITED: { status: 429, title: 'Too many requests with this key' },
  SHUTTING_DOWN: { status: 503, title: 'Ambit is stopping' },
  ROUTE_NOT_FOUND: { status: 404, title: 'No such route' },
  FILE_NOT_FOUND: { status: 404, title: 'No such file of the skill' },
  PRECONDITION_FAILED: { status: 412, title: 'The file is not as the condition says' },
  RECORD_NOT_FOUND: { status: 404, title: 'No such record' },
  EXECUTION_NOT_FOUND: { status: 404, title: 'No such execution' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The idempotency key stands for another request' },
  IDEMPOTENCY_INTERRUPTED: {
    status: 409,
    title: 'The answer of the call with this idempotency key is not kept',
  },
  IDEMPOTENCY_UNAVAILABLE: { status: 503, title: 'No answer can be kept under an idempotency key' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The route has no such method' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, title: 'The body is of a kind that is not read here' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  BODY_MALFORMED: { status: 400, title: 'The body cannot be read' },
  REQUEST_INVALID: { status: 400, title: 'The request does not have the right shape' },
} satisfies Record<ProblemCode, { status: number; title: string }>;
