import { recordOutcomes } from '@ambit/core/internal';
import { z } from 'zod';

/** An execution as `GET` and `DELETE /executions/:id` answer it, and a `202`. */
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
        'Of one that is finished: how its run ended, or `denied`; of a batch, how the first call did that did not succeed.',
      ),
    result: z.unknown().optional().describe('Of one that ran: the very answer.'),
    problem: z.unknown().optional().describe('Of one that was refused: the very problem.'),
    detail: z
      .string()
      .exactOptional()
      .describe('Where the answer is not here any more, or never was: why, and where the rest is.'),
  })
  .meta({ id: 'Execution', description: 'A call, or a chain or batch of them, that runs or has run.' });
export type ExecutionStatus = z.output<typeof ExecutionStatus>;
