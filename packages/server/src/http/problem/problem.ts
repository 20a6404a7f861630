import { SignedReceipt } from '@ambit/core/audit';
import { Denial } from '@ambit/core/policy';
import { z } from 'zod';
import { type ProblemCode, problemCodes } from '../../errors/codes.ts';
import { withNextRequest } from '../../wire/next-requests.ts';
import type { HttpRefusal } from './refusal.ts';

const codes = Object.keys(problemCodes) as ProblemCode[];

/**
 * The body of every error: `application/problem+json` (RFC 9457), with a stable `code` for
 * programs.
 */
export const Problem = z
  .strictObject({
    type: z.string().describe('`urn:ambit:problem:` and the code.'),
    title: z.string(),
    status: z.number(),
    detail: z.string().describe('What happened, why, and what to do.'),
    instance: z.string().describe('`urn:uuid:` and the execution id.'),
    code: z.enum(codes).describe('A stable code for programs.'),
    executionId: z.string().describe("The id in the audit log and the daemon's log."),
    issues: z
      .array(
        z.looseObject({
          at: z.string().describe('JSON pointer to the value; empty for the whole input or request.'),
          message: z.string(),
        }),
      )
      .readonly()
      .exactOptional()
      .describe('What is wrong with the input or the request.'),
    denials: z
      .array(Denial)
      .readonly()
      .exactOptional()
      .describe('The missing capabilities, each with the configuration that grants it.'),
    receipt: SignedReceipt.nullable()
      .exactOptional()
      .describe('The signed receipt of the refusal, if the call asked for one; `null` if it is unavailable.'),
    originalExecutionId: z.string().exactOptional().describe('The call that used the idempotency key.'),
    retryAfterSeconds: z
      .number()
      .exactOptional()
      .describe('The value of the `Retry-After` header, for problems that arrive as an event.'),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457).' });
export type Problem = z.output<typeof Problem>;

/** The media type of every error (RFC 9457, section 3). */
export const problemMediaType = 'application/problem+json';

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
