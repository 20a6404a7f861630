import type { SkillErrorCode } from '@ambit/core';
import { ChainResult } from '@ambit/core/execute';
import { usedNothing } from '@ambit/core/outcome';
import { z } from 'zod';
import { bare, json, stream } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import { LastEventId } from '../last-event-id.ts';
import { SkillParams } from '../skill-params.ts';
import { wholeNumber } from '../whole-number.ts';
import { BatchAnswer, CallEvent, ExecuteAnswer, ExecutionStatus } from './answers.ts';
import { BatchBody, ChainBody, ExecuteBody } from './bodies.ts';

/** The headers of a request that starts a call. */
const CallHeaders = z.object({
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
function callAnswers<Schema extends z.ZodType>(description: string, schema: Schema, example?: unknown) {
  return {
    200: json(description, schema, {
      example,
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
const beginProblems = [
  ...callProblems,
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_INTERRUPTED',
  'NODE_UNREACHABLE',
  'REQUEST_INVALID',
] as const;

const answerExample = {
  executionId: '01a12b6f-7c3e-7a51-9d02-4f3c8d5b6e70',
  outcome: { status: 'succeeded', output: { text: 'mail me at [redacted-email]', total: 1 } },
  usage: { durationMs: 16.2, queueMs: 0.1, cpuMs: 14.7, memoryPeakBytes: 65_892, fuelConsumed: 42_527 },
  used: usedNothing,
  log: '',
  audit: { sequence: 5, hash: `sha256:${'0'.repeat(64)}` },
};

/** The longest that a request waits for a call to end, even if the client prefers a longer time. */
export const waitSecondsMax = 60;

const ExecutionParams = z.strictObject({ id: z.string().describe("The execution's id.") });

const EventsHeaders = z.object({
  'last-event-id': LastEventId.describe('Resume after this event. Default: start at the first stored event.'),
});

const WaitQuery = z.strictObject({
  wait: wholeNumber(
    { from: 0, to: waitSecondsMax },
    { form: `write a number of seconds, 0 to ${waitSecondsMax}` },
  )
    .default(0)
    .describe('Seconds to wait for the call to end before the response.'),
});

const common = { scope: 'skills:execute', params: ExecutionParams } as const;

const starting = {
  method: 'POST',
  scope: 'skills:execute',
  headers: CallHeaders,
  problems: beginProblems,
} as const;

/** Calls, chains and batches, and their executions. */
export const callContracts = defineContracts('Calls', {
  executeSkill: {
    ...starting,
    url: '/skills/:id/execute',
    summary: 'Run a skill',
    description:
      'Runs a skill and responds when it has ended, with 200 for any outcome. Another status means that nothing ran. A client that disconnects cancels its call, unless the call is asynchronous or has an idempotency key.',
    params: SkillParams,
    body: ExecuteBody,
    bodyExample: { input: { text: 'mail me at ada@example.org' } },
    answers: callAnswers('The call ran.', ExecuteAnswer, answerExample),
  },
  executeChain: {
    ...starting,
    url: '/chain',
    summary: 'Run skills one after another',
    description:
      "Each skill's output is the next one's input. The first link that does not succeed ends the chain; `failedAt` names it. If a link is refused, the response is its problem; the log has the links before it: `GET /audit?parentId=…`.",
    body: ChainBody,
    bodyExample: { input: { text: 'mail me at ada@example.org' }, steps: [{ skill: 'text-redact' }] },
    answers: callAnswers('The chain ran; `links` lists the links that ran.', ChainResult),
  },
  executeBatch: {
    ...starting,
    url: '/batch',
    summary: 'Run independent calls',
    description:
      'Runs a few calls at a time. The response is always 200. For each call it has the result or the problem that a single call would get. Each call has its own record: `GET /audit?parentId=…`.',
    body: BatchBody,
    bodyExample: { calls: [{ skill: 'text-redact', input: { text: 'mail me at ada@example.org' } }] },
    answers: callAnswers('The result of each call.', BatchAnswer),
  },
  getExecution: {
    method: 'GET',
    url: '/executions/:id',
    ...common,
    summary: 'Get the status of a call',
    description:
      'Visible to the key that started the call and to `admin`. Ambit stores the response for a while; after that the status comes from the audit log.',
    query: WaitQuery,
    answers: { 200: json('The status of the call.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND', 'NODE_UNREACHABLE'],
  },
  cancelExecution: {
    method: 'DELETE',
    url: '/executions/:id',
    ...common,
    summary: 'Cancel a call',
    description:
      'Cancels the call, waits up to 2 s for it to end, and returns its status. A finished call is unchanged.',
    answers: { 200: json('The status of the call.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND', 'NODE_UNREACHABLE'],
  },
  followExecution: {
    method: 'GET',
    url: '/executions/:id/events',
    ...common,
    summary: 'Follow the events of a call',
    description:
      'Server-sent events from the first stored one, or after `Last-Event-ID`, up to the response. An unknown id resumes at the next event. For a call that this daemon does not hold, the stream has one event `record`: its status from the audit log.',
    headers: EventsHeaders,
    answers: {
      200: stream('The events, up to the last.', {
        'text/event-stream': { description: 'An event of the call.', each: CallEvent },
      }),
      204: bare('The call has ended, and there are no events after that id.'),
    },
    problems: ['EXECUTION_NOT_FOUND', 'NODE_UNREACHABLE'],
  },
});
