import { type Problem, problemCodes } from '@ambit/api';
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
  return {
    type: `urn:ambit:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: withNextRequest(code, messageOf(refusal)),
    instance: `urn:uuid:${executionId}`,
    code,
    executionId,
    ...(Array.isArray(issues) && { issues }),
    ...(Array.isArray(denials) && { denials }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(originalExecutionId === undefined ? {} : { originalExecutionId }),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}
