import { AuditPosition } from '@ambit/core/audit';
import { OutcomeStatus } from '@ambit/core/outcome';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { ExecuteAnswer } from './execute-answer.ts';

/** The summary of an answer that exceeds the limit of its batch. */
export const OmittedAnswer = z
  .strictObject({
    executionId: z.string().describe('The id of its record in the audit log.'),
    outcome: OutcomeStatus,
    audit: AuditPosition,
  })
  .meta({
    id: 'OmittedAnswer',
    description: 'The summary of an answer that exceeds the size limit of its batch.',
  });
export type OmittedAnswer = z.output<typeof OmittedAnswer>;

/** The result of one call of a batch: the response that a single call would get, or that it was skipped. */
export const BatchResult = z
  .union([
    z.strictObject({ status: z.literal(200), answer: ExecuteAnswer }),
    z.strictObject({
      status: z.literal(200),
      omitted: OmittedAnswer.describe(
        'The call ran, but with its answer the batch would exceed its size limit.',
      ),
    }),
    z.strictObject({ status: z.number().describe('The status of the problem.'), problem: Problem }),
    z.strictObject({ status: z.null(), skipped: z.literal(true) }),
  ])
  .meta({
    id: 'BatchResult',
    description: 'One call of a batch: its answer or a summary, its refusal, or neither.',
  });
export type BatchResult = z.output<typeof BatchResult>;

/** The response of `POST /batch`. */
export const BatchAnswer = z
  .strictObject({
    executionId: z.string().describe("The parent of every call's record."),
    results: z.array(BatchResult).describe('The results in the order of the calls.'),
  })
  .meta({ id: 'BatchAnswer', description: 'The results of a batch.' });
export type BatchAnswer = z.output<typeof BatchAnswer>;
