import type { SkillErrorCode } from '@ambit/core';
import { z } from 'zod';
import { ExecutionStatus } from '../../../wire/answer/execution-status.ts';
import { json } from '../../route/answer.ts';
import { CallEvent } from './call-event.ts';

/** The headers of a request that starts a call. */
export const CallHeaders = z.object({
  accept: z
    .string()
    .optional()
    .describe('`text/event-stream`: events while the call runs, and the response as the last event.'),
  prefer: z
    .string()
    .optional()
    .describe(
      '`respond-async`: respond immediately with the location of the result. With `wait=10`, wait that many seconds for the result (RFC 7240).',
    ),
  'idempotency-key': z
    .string()
    .optional()
    .describe(
      'A repeated request with the same key gets the same response and does not run again, even after a restart.',
    ),
});

/** The responses to a call that has started. */
export function callAnswers<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example?: unknown,
) {
  return {
    200: json(description, schema, {
      ...(example === undefined ? {} : { example }),
      headers: {
        'Idempotency-Replayed': '`true` if the response is from an earlier request.',
        'Idempotency-Stored':
          '`false` if the response could not be stored: a retry with the idempotency key may be refused.',
      },
      media: { 'text/event-stream': { description: 'The events of the call.', each: CallEvent } },
    }),
    202: json('The call is running.', ExecutionStatus, {
      headers: {
        Location: 'The location of the result.',
        'Preference-Applied': 'The applied preferences.',
      },
    }),
  };
}

/** The codes of core that can refuse any call. A list of its own, because a new code of core may not concern calls. */
const callProblems = [
  'SKILL_NOT_FOUND',
  'SKILL_AMBIGUOUS',
  'SKILL_NOT_EXECUTABLE',
  'SKILL_INVALID',
  'SKILL_CHANGED',
  'LOCK_MISMATCH',
  'SKILL_REVOKED',
  'INPUT_INVALID',
  'CAPABILITY_DENIED',
  'CAPABILITY_UNSUPPORTED',
  'SANDBOX_UNAVAILABLE',
  'PROGRAM_MISSING',
  'SECRET_UNAVAILABLE',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_BUSY',
  'STORE_UNAVAILABLE',
  'LEASE_LOST',
  'MEMORY_SHARE_EXCEEDED',
  'OVERLOADED',
] as const satisfies readonly SkillErrorCode[];

/** The codes that can refuse a request that starts a call. */
export const beginProblems = [
  ...callProblems,
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_INTERRUPTED',
  'NODE_UNREACHABLE',
  'REQUEST_INVALID',
] as const;
