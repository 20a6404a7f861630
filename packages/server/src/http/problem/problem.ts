import { z } from 'zod';
import { AnsweredDenial } from '../../wire/answer/capability.ts';
import { SignedReceipt } from '../../wire/answer/receipt.ts';
import { answers, type ProblemCode } from './answers.ts';
import type { Refusal } from './refusal.ts';

const codes = Object.keys(answers) as ProblemCode[];

/** The body of every error: `application/problem+json` (RFC 9457), with a stable `code` for machines. */
export const Problem = z
  .strictObject({
    type: z.string().describe('`urn:ambit:problem:` and the code once more.'),
    title: z.string(),
    status: z.number(),
    detail: z.string().describe('What is wrong and what to do.'),
    instance: z.string().describe("`urn:uuid:` and the execution's id."),
    code: z.enum(codes).describe('Stable, for machines.'),
    executionId: z.string().describe("Under which the audit log and the daemon's log have it."),
    issues: z
      .array(
        z.looseObject({
          at: z.string().describe('A JSON pointer to the place; empty: the whole.'),
          message: z.string(),
        }),
      )
      .readonly()
      .exactOptional()
      .describe('Where the input or the request is wrong.'),
    denials: z
      .array(AnsweredDenial)
      .readonly()
      .exactOptional()
      .describe('Each capability that is missing, with what would grant it.'),
    receipt: SignedReceipt.nullable()
      .exactOptional()
      .describe('Of a call that asked for one: that it was refused, signed.'),
    originalExecutionId: z.string().exactOptional().describe('The call that has the idempotency key.'),
    retryAfterSeconds: z
      .number()
      .exactOptional()
      .describe('As in the header `Retry-After`, for those who get the problem as an event.'),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457).' });
export type Problem = z.output<typeof Problem>;

/** Of every refusal (RFC 9457, section 3). */
export const problemMediaType = 'application/problem+json';

/** A refusal as it is sent. `executionId` is that of the request's record. */
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
    ...(issues && { issues: issues as Problem['issues'] & object }),
    ...(denials && { denials: denials as Problem['denials'] & object }),
    ...(receipt === undefined ? {} : { receipt: receipt as Problem['receipt'] & object }),
    ...(originalExecutionId === undefined ? {} : { originalExecutionId }),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}
