import type { SkillErrorCode } from '@ambit/core';

/** The request that shows what exists, for refusals whose messages are independent of the transport. */
const nextRequests: Partial<Record<string, string>> = {
  SKILL_NOT_FOUND: 'GET /skills lists the skills that this key can see',
  WORKSPACE_NOT_FOUND: "GET /workspaces lists this key's workspaces",
} satisfies Partial<Record<SkillErrorCode, string>>;

/** The message of a refusal as HTTP answers it. */
export function withNextRequest(code: string, message: string): string {
  const next = nextRequests[code];
  return next === undefined ? message : `${message}${message.endsWith('?') ? ' ' : '; '}${next}`;
}

/** The inverse of `withNextRequest`, for other transports. */
export function withoutNextRequest(code: string, detail: string): string {
  const next = nextRequests[code];
  if (next === undefined || !detail.endsWith(next)) return detail;
  return detail.slice(0, -next.length).replace(/;? $/, '');
}
