import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../../../../jobs/job.ts';
import type { AppDeps } from '../../../route/app-deps.ts';
import { rightsOf } from '../../../route/request-state.ts';
import { type EventSource, eventBytes, eventText } from '../../../stream/follow-events.ts';
import { sendEvents } from '../../../stream/send-events.ts';
import { executionPath } from './execution-status.ts';

/** Streams the events of a job after an id, until its end. */
export function sendJobEvents(
  { shutdown }: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
  after: number,
): FastifyReply {
  reply.header('location', executionPath(job.executionId));
  return sendEvents(reply, eventsOf(job, after, rightsOf(request).holds), shutdown);
}

/** The size of one write to a reader. */
const writeCharactersMax = 65_536;

function eventsOf({ eventsAfter, subscribe }: Job, after: number, holds: () => boolean): EventSource {
  let taken = after;
  return {
    subscribe: (onNews) => subscribe(onNews, () => taken),
    holds,
    next() {
      const { missed, events, isOver } = eventsAfter(taken);
      let text = '';
      if (missed > 0) {
        taken += missed;
        text += eventText({ id: taken, name: 'gap', data: JSON.stringify({ events: missed }) });
      }
      for (const event of events) {
        if (text.length >= writeCharactersMax) return { text, isOver: false };
        const { id, name, data } = event;
        // The response is sent on its own: it may be large.
        if (typeof data !== 'string' && text !== '') return { text, isOver: false };
        taken = id;
        if (typeof data !== 'string') return { text: eventBytes({ id, name, data }), isOver };
        text += eventText({ id, name, data });
      }
      return { text, isOver };
    },
  };
}
