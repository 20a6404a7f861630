import { type BatchCall, ChainLink, ChainResult } from '@ambit/core/execute';
import { OutcomeStatus, skillErrorCodes } from '@ambit/core/outcome';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { BatchAnswer } from './batch-answer.ts';
import { ExecuteAnswer } from './execute-answer.ts';
import { ExecutionStatus } from './execution-status.ts';

/** The additional fields of events of a chain's link or a batch's call. */
const ofMany = {
  position: z
    .number()
    .exactOptional()
    .describe('The position of the link or call in its chain or batch, from 1.'),
};

const EndedCall = z.strictObject({
  position: z.number().describe('The position in the batch, from 1.'),
  skillId: z.string(),
  executionId: z.string(),
  outcome: z.union([OutcomeStatus, z.literal('denied')]),
  code: z.enum(skillErrorCodes).exactOptional().describe('The code of the refusal.'),
}) satisfies z.ZodType<BatchCall>;

/** An event of a call, a chain or a batch: the name of a server-sent event, and its `data`. */
export const CallEvent = z
  .discriminatedUnion('event', [
    event(z.literal('queued'), z.strictObject(ofMany), 'The record of the call has begun.'),
    event(z.literal('started'), z.strictObject(ofMany), 'The call has left the queue.'),
    event(
      z.enum(['stdout', 'stderr', 'log']),
      z.strictObject({ text: z.string(), ...ofMany }),
      'Output of the run, in arbitrary pieces.',
    ),
    event(
      z.literal('progress'),
      z.strictObject({
        done: z.number(),
        total: z.number().exactOptional().describe('The final value of `done`; absent: unknown.'),
        message: z.string().exactOptional(),
        ...ofMany,
      }),
      'The progress that the run reports.',
    ),
    event(z.literal('link'), ChainLink, 'A link of a chain has ended.'),
    event(z.literal('call'), EndedCall, 'A call of a batch has ended.'),
    event(z.literal('gap'), z.strictObject({ events: z.number() }), 'This many events are no longer stored.'),
    event(
      z.literal('unstored'),
      z.strictObject({ detail: z.string().describe('What that means for a retry.') }),
      'The response could not be stored under its idempotency key.',
    ),
    event(
      z.literal('result'),
      z.union([ExecuteAnswer, ChainResult, BatchAnswer]),
      'The last event: the response without events.',
    ),
    event(z.literal('problem'), Problem, 'The last event: why the call was refused.'),
    event(
      z.literal('record'),
      ExecutionStatus,
      'The only event, for a call that is no longer stored: its status from the audit log.',
    ),
  ])
  .meta({ id: 'CallEvent', description: 'An event of a call: its name, and its `data` as JSON.' });

function event<Name extends z.ZodType<string>, Data extends z.ZodType>(
  name: Name,
  data: Data,
  description: string,
) {
  return z.strictObject({ event: name, data }).describe(description);
}
