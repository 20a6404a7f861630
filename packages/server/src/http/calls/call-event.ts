import { type BatchCall, ChainLink, ChainResult, OutcomeStatus, skillErrorCodes } from '@ambit/core/internal';
import { z } from 'zod';
import { ExecuteAnswer } from '../../wire/answer/execute-answer.ts';
import { ExecutionStatus } from '../../wire/answer/execution.ts';
import { Problem } from '../problem/problem.ts';
import { BatchAnswer } from './batch-answer.ts';

/** What every event of a chain's link, or of a batch's call, has beside its own. */
const ofMany = {
  position: z
    .number()
    .exactOptional()
    .describe('Of a chain or a batch: which of its links or calls, from 1.'),
};

const EndedCall = z.strictObject({
  position: z.number().describe('From 1.'),
  skillId: z.string(),
  executionId: z.string(),
  outcome: z.union([OutcomeStatus, z.literal('denied')]),
  code: z.enum(skillErrorCodes).exactOptional().describe('What it was refused with.'),
}) satisfies z.ZodType<BatchCall>;

/** What happens in a call, a chain or a batch: the name of a server-sent event, and what its `data` is. */
export const CallEvent = z
  .discriminatedUnion('event', [
    event(z.literal('queued'), z.strictObject(ofMany), 'Its record has begun.'),
    event(z.literal('started'), z.strictObject(ofMany), 'It has left the queue.'),
    event(
      z.enum(['stdout', 'stderr', 'log']),
      z.strictObject({ text: z.string(), ...ofMany }),
      'What the run writes, in pieces of no meaning.',
    ),
    event(
      z.literal('progress'),
      z.strictObject({
        done: z.number(),
        total: z.number().exactOptional().describe('What `done` will be at the end; absent: nobody knows.'),
        message: z.string().exactOptional(),
        ...ofMany,
      }),
      'How far the run says it is.',
    ),
    event(z.literal('link'), ChainLink, 'A link of a chain has ended.'),
    event(z.literal('call'), EndedCall, 'A call of a batch has ended.'),
    event(z.literal('gap'), z.strictObject({ events: z.number() }), 'So many events are not kept any more.'),
    event(
      z.literal('result'),
      z.union([ExecuteAnswer, ChainResult, BatchAnswer]),
      'The last: what the plain answer has.',
    ),
    event(z.literal('problem'), Problem, 'The last: why it was refused.'),
    event(
      z.literal('record'),
      ExecutionStatus,
      'The only one, of a call that is not held here any more: what the log has of it.',
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
