import { answers, type ProblemCode } from './answers.ts';
import type { Refusal } from './refusal.ts';

/** The body of every error: `application/problem+json` (RFC 9457), with a stable `code` for machines. */
export interface Problem {
  /** `urn:ambit:problem:input-invalid`; the code once more, as the RFC wants it. */
  type: string;
  title: string;
  status: number;
  /** What is wrong and what to do. */
  detail: string;
  /** `urn:uuid:` and the execution's id. */
  instance: string;
  code: ProblemCode;
  /** Under which the audit log and the daemon's log have it. */
  executionId: string;
  /** Where the input or the request is wrong. */
  issues?: readonly unknown[];
  /** Each capability that is missing, with what would grant it. */
  denials?: readonly unknown[];
  /** Of a call that asked for one: that it was refused, signed. */
  receipt?: unknown;
  /** The call that has the idempotency key. */
  originalExecutionId?: string;
  /** As in the header `Retry-After`, for those who get the problem as an event. */
  retryAfterSeconds?: number;
}

export const problemMediaType = 'application/problem+json';

export function problem(refusal: Refusal, executionId: string): Problem {
  const { code, message, issues, denials, receipt, originalExecutionId, headers } = refusal;
  const retryAfter = headers['retry-after'];
  const { status, title } = answers[code];
  return {
    type: `urn:ambit:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: message,
    instance: `urn:uuid:${executionId}`,
    code,
    executionId,
    ...(issues && { issues }),
    ...(denials && { denials }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(originalExecutionId === undefined ? {} : { originalExecutionId }),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}
