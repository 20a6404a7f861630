import { recordOutcomes } from '@ambit/core/outcome';
import { z } from 'zod';

/** The state of an execution: `GET` and `DELETE /executions/:id`, and a `202`. */
export const ExecutionStatus = z
  .strictObject({
    executionId: z.string(),
    skillId: z.string().nullable().describe('`null` for a chain or a batch.'),
    status: z.enum(['queued', 'running', 'finished']),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('`null` until it is finished.'),
    outcome: z
      .enum(recordOutcomes)
      .exactOptional()
      .describe(
        'When finished: how the run ended, or `denied`. For a batch: the outcome of the first call that did not succeed.',
      ),
    result: z.unknown().optional().describe('The response of a finished execution that ran.'),
    problem: z.unknown().optional().describe('The problem of an execution that was refused.'),
    stored: z
      .literal(false)
      .exactOptional()
      .describe(
        'Present if the response could not be stored: a retry with the idempotency key may be refused.',
      ),
    detail: z
      .string()
      .exactOptional()
      .describe('Why the response is unavailable, and where to find the rest.'),
  })
  .meta({ id: 'Execution', description: 'A call, chain or batch that is queued, running or finished.' });
export type ExecutionStatus = z.output<typeof ExecutionStatus>;
