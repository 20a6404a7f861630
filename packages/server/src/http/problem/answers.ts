import type { SkillErrorCode } from '@ambit/core';
import type { InstallRefusalCode } from '../../installs/install-refusal.ts';

/** Why the HTTP transport itself refuses a request, before it reaches a skill. */
export const transportCodes = [
  /** Not HTTP, or larger than Ambit reads. */
  'REQUEST_UNREADABLE',
  /** The `Host` header names another server, as in DNS rebinding. */
  'HOST_REFUSED',
  /** The request is from a web page of another origin. */
  'ORIGIN_REFUSED',
  'UNAUTHENTICATED',
  /** The one-time code of the web console is unknown, used or expired. */
  'CODE_INVALID',
  /** The key is valid but lacks the scope. */
  'SCOPE_MISSING',
  /** A session of the web console lacks the code of a person at a terminal. */
  'CONFIRMATION_REQUIRED',
  /** The key has exceeded its rate limit. */
  'RATE_LIMITED',
  'SHUTTING_DOWN',
  'ROUTE_NOT_FOUND',
  /** The skill has no such file, or the file no longer matches its listed digest. */
  'FILE_NOT_FOUND',
  /** The file does not match `If-Match` or `If-None-Match`. */
  'PRECONDITION_FAILED',
  /** The log has no such record, or no receipt for it. */
  'RECORD_NOT_FOUND',
  /** The execution does not exist or belongs to another key. */
  'EXECUTION_NOT_FOUND',
  /** The page of the web console has not been built. */
  'CONSOLE_UNAVAILABLE',
  /** The web console has no such session. */
  'SESSION_NOT_FOUND',
  /** Another node of the cluster has the session of the web console. */
  'SESSION_ELSEWHERE',
  /** The request is about another node of the cluster, which cannot be reached. */
  'NODE_UNREACHABLE',
  /** The idempotency key belongs to another request. */
  'IDEMPOTENCY_KEY_REUSED',
  /** The call with this idempotency key was interrupted, or its response was not stored. */
  'IDEMPOTENCY_INTERRUPTED',
  /** The response could not be stored under its idempotency key, so nothing ran. */
  'METHOD_NOT_ALLOWED',
  'MEDIA_TYPE_UNSUPPORTED',
  'BODY_TOO_LARGE',
  /** Not UTF-8, not JSON, or JSON that parsers read in different ways, such as duplicate keys. */
  'BODY_MALFORMED',
  /** The JSON, query or headers do not match the route's schema. */
  'REQUEST_INVALID',
] as const;

type TransportCode = (typeof transportCodes)[number];
/** Every code that a request can be refused with. */
export type ProblemCode = SkillErrorCode | InstallRefusalCode | TransportCode;

/**
 * The only table from code to status and title. A skill that ran and failed is not a refusal: the
 * response is 200, and its outcome has the failure.
 */
export const answers = {
  SKILL_NOT_FOUND: { status: 404, title: 'Skill not found' },
  SKILL_AMBIGUOUS: { status: 409, title: 'Ambiguous skill name' },
  SKILL_NOT_EXECUTABLE: { status: 422, title: 'Skill not executable' },
  SKILL_INVALID: { status: 422, title: 'Skill invalid' },
  SKILL_CHANGED: { status: 409, title: 'Skill changed' },
  LOCK_MISMATCH: { status: 409, title: 'Not what was installed' },
  SKILL_REVOKED: { status: 403, title: 'Skill revoked' },
  INPUT_INVALID: { status: 422, title: 'Invalid input' },
  CAPABILITY_DENIED: { status: 403, title: 'Capability not granted' },
  CAPABILITY_UNSUPPORTED: { status: 501, title: 'Capability not supported' },
  SANDBOX_UNAVAILABLE: { status: 503, title: 'Sandbox unavailable' },
  // Not 503, which clients and proxies retry: an operator has to install the program.
  PROGRAM_MISSING: { status: 501, title: 'Program not installed' },
  SECRET_UNAVAILABLE: { status: 503, title: 'Secret unavailable' },
  AUDIT_UNAVAILABLE: { status: 503, title: 'Audit log unavailable' },
  STORE_UNAVAILABLE: { status: 503, title: 'Store unavailable' },
  WORKSPACE_NOT_FOUND: { status: 404, title: 'Workspace not found' },
  WORKSPACE_FILE_NOT_FOUND: { status: 404, title: 'Workspace file not found' },
  WORKSPACE_BUSY: { status: 409, title: 'Workspace busy' },
  WORKSPACE_FULL: { status: 413, title: 'Workspace full' },
  WORKSPACE_LIMIT: { status: 409, title: 'Too many workspaces' },
  LEASE_LOST: { status: 503, title: 'Node without a lease' },
  MEMORY_SHARE_EXCEEDED: { status: 422, title: 'More memory than all runs share' },
  OVERLOADED: { status: 503, title: 'Overloaded' },
  INTERNAL: { status: 500, title: 'Internal error' },
  INSTALL_NOT_FOUND: { status: 404, title: 'Not installed' },
  REVIEW_STALE: { status: 409, title: 'Changed since the review' },
  SIGNATURE_INVALID: { status: 409, title: 'Signature not valid' },
  TIER_NOT_ALLOWED: { status: 409, title: 'Tier not allowed' },
  NAMESPACE_TAKEN: { status: 409, title: 'Namespace taken' },
  LOCK_INVALID: { status: 500, title: 'Lock file unusable' },
  SOURCE_MISSING: { status: 422, title: 'Source missing' },
  SOURCE_UNSUPPORTED: { status: 422, title: 'Source not supported' },
  SOURCE_UNREACHABLE: { status: 502, title: 'Source unreachable' },
  SOURCE_NOT_ALLOWED: { status: 403, title: 'Source not allowed' },
  SOURCE_DAMAGED: { status: 422, title: 'Source damaged' },
  SOURCE_UNSAFE_PATH: { status: 422, title: 'Unsafe path in the source' },
  SOURCE_TOO_LARGE: { status: 422, title: 'Source too large' },
  DEPENDENCY_UNSUPPORTED: { status: 422, title: 'Package declaration not supported' },
  DEPENDENCY_NO_INDEX: { status: 422, title: 'No package index configured' },
  DEPENDENCY_UNRESOLVED: { status: 422, title: 'No fitting package versions' },
  DEPENDENCY_NEEDS_BUILD: { status: 422, title: 'Package without a wheel' },
  REQUEST_UNREADABLE: { status: 400, title: 'Unreadable HTTP request' },
  HOST_REFUSED: { status: 403, title: 'Host not allowed' },
  ORIGIN_REFUSED: { status: 403, title: 'Origin not allowed' },
  UNAUTHENTICATED: { status: 401, title: 'Missing or invalid key' },
  CODE_INVALID: { status: 401, title: 'One-time code not valid' },
  SCOPE_MISSING: { status: 403, title: 'Missing scope' },
  CONFIRMATION_REQUIRED: { status: 403, title: 'Confirmation required' },
  RATE_LIMITED: { status: 429, title: 'Rate limit exceeded' },
  SHUTTING_DOWN: { status: 503, title: 'Shutting down' },
  ROUTE_NOT_FOUND: { status: 404, title: 'Route not found' },
  FILE_NOT_FOUND: { status: 404, title: 'Skill file not found' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  RECORD_NOT_FOUND: { status: 404, title: 'Record not found' },
  EXECUTION_NOT_FOUND: { status: 404, title: 'Execution not found' },
  CONSOLE_UNAVAILABLE: { status: 503, title: 'Console not built' },
  SESSION_NOT_FOUND: { status: 404, title: 'Session not found' },
  // Not 401: the session is open.
  SESSION_ELSEWHERE: { status: 421, title: 'Session of another node' },
  NODE_UNREACHABLE: { status: 503, title: 'Node unreachable' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  IDEMPOTENCY_INTERRUPTED: {
    status: 409,
    title: 'Response of this idempotency key not stored',
  },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, title: 'Unsupported media type' },
  BODY_TOO_LARGE: { status: 413, title: 'Body too large' },
  BODY_MALFORMED: { status: 400, title: 'Malformed body' },
  REQUEST_INVALID: { status: 400, title: 'Invalid request' },
} satisfies Record<ProblemCode, { status: number; title: string }>;
