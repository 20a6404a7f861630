import { SignedReceipt } from '@ambit/core/audit';
import { Denial } from '@ambit/core/policy';
import { z } from 'zod';
import { type ProblemCode, problemCodes } from './codes.ts';

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
