import type { CallRecord } from '@ambit/core/audit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../../auth/key-rights.ts';
import { Refusal } from '../../../errors/refusal.ts';
import type { Job } from '../../../jobs/job.ts';
import { ExecutionStatus } from '../../../wire/answer/execution-status.ts';
import { bare, json, stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { wholeNumber } from '../../route/whole-number.ts';
import { LastEventId } from '../../stream/last-event-id.ts';
import { waitSecondsMax } from './answer/call-headers.ts';
import { executionStatus, recordedStatus } from './answer/execution-status.ts';
import { endOrWait } from './answer/send-accepted.ts';
import { sendJobEvents } from './answer/send-job-events.ts';
import { CallEvent } from './call-event.ts';

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

/** The time that `DELETE` waits for the call to end. */
const cancelSeconds = 2;

/**
 * `GET` and `DELETE /executions/:id`, and its `/events`. An execution is visible to the key that started it
 * and to `admin`; for other keys it does not exist. If its response is no longer stored, the status comes
 * from the audit log.
 */
export function executionRoutes(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  const common = { scope: 'skills:execute', group: 'Calls', params: ExecutionParams } as const;

  defineRoute(app, {
    method: 'GET',
    url: '/executions/:id',
    ...common,
    id: 'getExecution',
    summary: 'Get the status of a call',
    description:
      'Visible to the key that started the call and to `admin`. Ambit stores the response for a while; after that the status comes from the audit log.',
    query: WaitQuery,
    answers: { 200: json('The status of the call.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND', 'NODE_UNREACHABLE'],
    async handle({ params: { id }, query: { wait } }, request, reply) {
      const job = held(deps, request, id);
      if (job === undefined) return recorded(accessFor, request, id);
      await endOrWait(job, wait, reply);
      return sendStatus(deps, reply, job);
    },
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/executions/:id',
    ...common,
    id: 'cancelExecution',
    summary: 'Cancel a call',
    description:
      'Cancels the call, waits up to 2 s for it to end, and returns its status. A finished call is unchanged.',
    answers: { 200: json('The status of the call.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND', 'NODE_UNREACHABLE'],
    async handle({ params: { id } }, request, reply) {
      const job = held(deps, request, id);
      if (job === undefined) return recorded(accessFor, request, id);
      job.cancel(new Error(`the key ${rightsOf(request).actor} canceled it`));
      await endOrWait(job, cancelSeconds, reply);
      return sendStatus(deps, reply, job);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/executions/:id/events',
    ...common,
    id: 'followExecution',
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
    async handle({ params: { id }, headers: { 'last-event-id': named = 0 } }, request, reply) {
      const job = held(deps, request, id);
      if (job === undefined) {
        const data = JSON.stringify(await recorded(accessFor, request, id));
        return reply.type('text/event-stream').send(`event: record\ndata: ${data}\n\n`);
      }
      const after = job.resumeId(named);
      const { missed, events, isOver } = job.eventsAfter(after);
      // Tells a browser's EventSource not to reconnect.
      if (isOver && missed === 0 && events.length === 0) return reply.code(204).send();
      return sendJobEvents(deps, request, reply, job, after);
    },
  });
}

async function sendStatus({ json }: AppDeps, reply: FastifyReply, job: Job): Promise<FastifyReply> {
  const { bytes } = await json.write(executionStatus(job));
  return reply.type('application/json; charset=utf-8').send(bytes);
}

function held({ jobs }: AppDeps, request: FastifyRequest, id: string): Job | undefined {
  const job = jobs.find(id);
  return job !== undefined && isTheirs(request, job) ? job : undefined;
}

async function recorded(accessFor: AccessFor, request: FastifyRequest, id: string): Promise<ExecutionStatus> {
  const { audit } = accessFor(request);
  const own = await audit.query({ executionId: id, limit: 1 });
  // Its node knows whether a call or a chain still runs.
  const hasEnded = own.records.some(({ outcome }) => outcome !== 'running');
  if (request.unreachable !== null && !hasEnded) throw request.unreachable;
  const found = own.records.length > 0 ? own : await audit.query({ parentId: id, limit: 200 });
  const theirs = found.records.filter((record) => isTheirs(request, record));
  if (theirs.length > 0) return recordedStatus(id, theirs);
  throw new Refusal(
    'EXECUTION_NOT_FOUND',
    `execution ${JSON.stringify(id.slice(0, 200))} does not exist or belongs to another key; use the executionId of the response that started it`,
  );
}

function isTheirs(request: FastifyRequest, { actor }: Pick<CallRecord, 'actor'>): boolean {
  const rights = rightsOf(request);
  return actor === rights.actor || hasScope(rights, 'admin');
}
