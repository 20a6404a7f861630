import type { SkillErrorCode } from '@ambit/core';
import { z } from 'zod';
import { ExecutionStatus } from '../../../wire/answer/execution.ts';
import { json } from '../../route/answer.ts';
import { CallEvent } from './call-event.ts';

/** What a request that begins a call may say of how it is answered. */
export const CallHeaders = z.object({
  accept: z
    .string()
    .optional()
    .describe('`text/event-stream`: events as they come, and the answer as the last of them.'),
  prefer: z
    .string()
    .optional()
    .describe(
      '`respond-async`: an answer at once, with where the result will be; `wait=10` beside it waits so many seconds for the result itself (RFC 7240).',
    ),
  'idempotency-key': z
    .string()
    .optional()
    .describe(
      'The same key and the same request are answered with the same answer, and run once, also across a restart.',
    ),
});

/** How a call is answered that was begun. */
export function callAnswers<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example?: unknown,
) {
  return {
    200: json(description, schema, {
      ...(example === undefined ? {} : { example }),
      headers: { 'Idempotency-Replayed': '`true` where the answer is that of an earlier request.' },
      media: { 'text/event-stream': { description: 'What happens in the call.', each: CallEvent } },
    }),
    202: json('The call is under way.', ExecutionStatus, {
      headers: {
        Location: 'Where its result will be.',
        'Preference-Applied': 'What was preferred, and done.',
      },
    }),
  };
}

/** The codes of core that any call can be refused with. Written out: a new code of core is not added unseen. */
const callProblems = [
  'SKILL_NOT_FOUND',
  'SKILL_NOT_EXECUTABLE',
  'SKILL_INVALID',
  'SKILL_CHANGED',
  'SKILL_CYCLE',
  'INPUT_INVALID',
  'CAPABILITY_DENIED',
  'CAPABILITY_UNSUPPORTED',
  'SANDBOX_UNAVAILABLE',
  'PROGRAM_MISSING',
  'SECRET_UNAVAILABLE',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_BUSY',
  'OVERLOADED',
] as const satisfies readonly SkillErrorCode[];

/** The codes that a request to start a call can be refused with. */
export const beginProblems = [
  ...callProblems,
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_INTERRUPTED',
  'IDEMPOTENCY_UNAVAILABLE',
  'REQUEST_INVALID',
] as const;
