import { AuditPosition, OutcomeStatus } from '@ambit/core/internal';
import { z } from 'zod';
import { ExecuteAnswer } from '../../wire/answer/execute-answer.ts';
import { Problem } from '../problem/problem.ts';

/** What is left of an answer that has no room in the one of its batch. */
export const OmittedAnswer = z
  .strictObject({
    executionId: z.string().describe('Under which the log has it.'),
    outcome: OutcomeStatus,
    audit: AuditPosition,
  })
  .meta({ id: 'OmittedAnswer', description: 'What is left of an answer that its batch has no room for.' });
export type OmittedAnswer = z.output<typeof OmittedAnswer>;

/** One call of a batch, as it would have been answered by itself; or that it was not made. */
export const BatchResult = z
  .union([
    z.strictObject({ status: z.literal(200), answer: ExecuteAnswer }),
    z.strictObject({
      status: z.literal(200),
      omitted: OmittedAnswer.describe(
        'It ran. Its answer, and those before it, are more than a batch answers.',
      ),
    }),
    z.strictObject({ status: z.number().describe('As the problem has it.'), problem: Problem }),
    z.strictObject({ status: z.null(), skipped: z.literal(true) }),
  ])
  .meta({
    id: 'BatchResult',
    description: 'One call of a batch: its answer or what is left of it, its refusal, or neither.',
  });
export type BatchResult = z.output<typeof BatchResult>;

/** The answer of `POST /batch`. */
export const BatchAnswer = z
  .strictObject({
    executionId: z.string().describe("The parent of every call's record."),
    results: z.array(BatchResult).describe('In the order of the calls.'),
  })
  .meta({ id: 'BatchAnswer', description: 'What came of a batch.' });
export type BatchAnswer = z.output<typeof BatchAnswer>;
