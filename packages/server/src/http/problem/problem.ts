import { type Problem, problemCodes } from '@ambit/api';
import { defined } from '@ambit/core/json';
import { withNextRequest } from '../../wire/next-requests.ts';
import type { HttpRefusal } from './refusal.ts';

/** A message can quote input of any length. */
const messageCharactersMax = 4000;

/** The message of a refusal, as it is sent and recorded. */
export function messageOf({ message }: HttpRefusal): string {
  return message.slice(0, messageCharactersMax);
}

/** The problem that a refusal is sent as. `executionId` is the id of the request's record. */
export function problem(refusal: HttpRefusal, executionId: string): Problem {
  const { code, headers } = refusal;
  const { issues, denials, receipt, originalExecutionId } = refusal.details as Partial<Problem>;
  const retryAfter = headers['retry-after'];
  const { status, title } = problemCodes[code];
  return defined<Problem>({
    type: `urn:ambit:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: withNextRequest(code, messageOf(refusal)),
    instance: `urn:uuid:${executionId}`,
    code,
    executionId,
    issues: Array.isArray(issues) ? issues : undefined,
    denials: Array.isArray(denials) ? denials : undefined,
    receipt,
    originalExecutionId,
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
  });
}
