import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Execution } from '../../executions/execution.ts';
import type { AppDeps } from '../app-deps.ts';
import { rightsOf } from '../request-state.ts';
import { type EventSource, eventText } from '../stream/followed.ts';
import { sendEvents } from '../stream/send-events.ts';
import { executionPath } from './execution-view.ts';

/** Answers with the events of an execution after an id, until its end. */
export function sendExecution(
  { shutdown }: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  execution: Execution,
  after: number,
): FastifyReply {
  reply.header('location', executionPath(execution.executionId));
  return sendEvents(reply, eventsOf(execution, after, rightsOf(request).holds), shutdown);
}

function eventsOf({ eventsAfter, watch }: Execution, after: number, holds: () => boolean): EventSource {
  let next = after;
  return {
    ...{ watch, holds },
    next() {
      const { missed, events, isOver } = eventsAfter(next);
      let text = '';
      if (missed > 0) {
        next += missed;
        text += eventText({ id: next, name: 'gap', data: JSON.stringify({ events: missed }) });
      }
      for (const event of events) text += eventText(event);
      next = events.at(-1)?.id ?? next;
      return { text, isOver };
    },
  };
}
