import type { CallRecord } from '@ambit/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../../auth/key-rights.ts';
import type { Job } from '../../../jobs/job.ts';
import { ExecutionStatus } from '../../../wire/answer/execution.ts';
import type { AppDeps } from '../../app-deps.ts';
import { CallEvent } from '../../calls/call-event.ts';
import { executionStatus, recordedView } from '../../calls/execution-status.ts';
import { waitSecondsMax } from '../../calls/prefer.ts';
import { endOrWait } from '../../calls/send-accepted.ts';
import { sendExecutionStatus } from '../../calls/send-execution.ts';
import { Refusal } from '../../problem/refusal.ts';
import { rightsOf } from '../../request-state.ts';
import { bare, json, stream } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import { wholeNumber } from '../../route/whole-number.ts';
import { LastEventId } from '../../stream/last-event-id.ts';
import type { AccessFor } from '../access-for.ts';

const ExecutionParams = z.strictObject({ id: z.string().describe("The execution's id.") });

const EventsHeaders = z.object({
  'last-event-id': LastEventId.describe('Go on after this event; without it, from the first that is kept.'),
});

const WaitQuery = z.strictObject({
  wait: wholeNumber(
    { from: 0, to: waitSecondsMax },
    { form: `write a number of seconds, 0 to ${waitSecondsMax}` },
  )
    .default(0)
    .describe('Seconds in which it may come to its end before the answer.'),
});

/** How long `DELETE` waits for the end that it brings. */
const cancelSeconds = 2;

/**
 * `GET /executions/:id`, its `/events`, and `DELETE`. An execution is there for the key that began it and for `admin`; for
 * anybody else it is as if it had never been. What is not held any more is told as the log has it.
 */
export function executionRoutes(app: FastifyInstance, deps: AppDeps, reachFor: AccessFor): void {
  const common = { scope: 'skills:execute', group: 'Calls', params: ExecutionParams } as const;

  defineRoute(app, {
    ...{ method: 'GET', url: '/executions/:id', ...common },
    id: 'getExecution',
    summary: 'A call that runs or has run',
    description:
      'For the key that began it, and for `admin`. The answer is kept for a while, and the audit log has what is left of it after that.',
    query: WaitQuery,
    answers: { 200: json('How it stands.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND'],
    async handle({ params: { id }, query: { wait } }, request, reply) {
      const execution = held(deps, request, id);
      if (execution === undefined) return recorded(reachFor, request, id);
      await endOrWait(execution, wait, reply);
      return sendView(deps, reply, execution);
    },
  });

  defineRoute(app, {
    ...{ method: 'DELETE', url: '/executions/:id', ...common },
    id: 'cancelExecution',
    summary: 'Cancel a call',
    description:
      'One that has ended stays as it is. The answer is how it stands, after a moment in which it ends.',
    answers: { 200: json('How it stands.', ExecutionStatus) },
    problems: ['EXECUTION_NOT_FOUND'],
    async handle({ params: { id } }, request, reply) {
      const execution = held(deps, request, id);
      if (execution === undefined) return recorded(reachFor, request, id);
      execution.cancel(new Error(`the key ${rightsOf(request).actor} canceled it`));
      await endOrWait(execution, cancelSeconds, reply);
      return sendView(deps, reply, execution);
    },
  });

  defineRoute(app, {
    ...{ method: 'GET', url: '/executions/:id/events', ...common },
    id: 'followExecution',
    summary: 'What happens in a call',
    description:
      'Server-sent events, from the first that is kept, or after `Last-Event-ID`, to the answer; after an id that no event has had yet, whatever follows. Of a call that is not held here, one event `record`: what the audit log has of it.',
    headers: EventsHeaders,
    answers: {
      200: stream('The events, to the last.', {
        'text/event-stream': { description: 'What happens in the call.', each: CallEvent },
      }),
      204: bare('It has ended, and there are no more after that id.'),
    },
    problems: ['EXECUTION_NOT_FOUND'],
    async handle({ params: { id }, headers: { 'last-event-id': named = 0 } }, request, reply) {
      const execution = held(deps, request, id);
      if (execution === undefined) {
        const data = JSON.stringify(await recorded(reachFor, request, id));
        return reply.type('text/event-stream').send(`event: record\ndata: ${data}\n\n`);
      }
      const after = execution.resumeId(named);
      const { missed, events, isOver } = execution.eventsAfter(after);
      // By which a browser's EventSource knows that it need not come again.
      if (isOver && missed === 0 && events.length === 0) return reply.code(204).send();
      return sendExecutionStatus(deps, request, reply, execution, after);
    },
  });
}

async function sendView({ json }: AppDeps, reply: FastifyReply, execution: Job): Promise<FastifyReply> {
  const { bytes } = await json.write(executionStatus(execution));
  return reply.type('application/json; charset=utf-8').send(bytes);
}

function held({ jobs }: AppDeps, request: FastifyRequest, id: string): Job | undefined {
  const execution = jobs.find(id);
  return execution !== undefined && isTheirs(request, execution) ? execution : undefined;
}

async function recorded(reachFor: AccessFor, request: FastifyRequest, id: string): Promise<ExecutionStatus> {
  const { audit } = reachFor(request);
  const own = await audit.query({ executionId: id, limit: 1 });
  const found = own.records.length > 0 ? own : await audit.query({ parentId: id, limit: 200 });
  const theirs = found.records.filter((record) => isTheirs(request, record));
  if (theirs.length > 0) return recordedView(id, theirs);
  throw new Refusal(
    'EXECUTION_NOT_FOUND',
    `there is no execution ${JSON.stringify(id.slice(0, 200))} of this key's; its id is in the answer that began it`,
  );
}

function isTheirs(request: FastifyRequest, { actor }: Pick<CallRecord, 'actor'>): boolean {
  const rights = rightsOf(request);
  return actor === rights.actor || hasScope(rights, 'admin');
}
