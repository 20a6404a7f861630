import { SkillError } from '@ambit/core';
import type { AuditLog } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FollowedEvent } from '../../../wire/answer/audit.ts';
import { stalledMs } from '../../connections/drop-stalled.ts';
import { stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { type EventSource, eventText } from '../../stream/follow-events.ts';
import { LastEventId, NodePositionText } from '../../stream/last-event-id.ts';
import { sendEvents } from '../../stream/send-events.ts';
import { type Follower, nodeEvents } from './node-events.ts';

const followersMax = 16;
const eventsInOneGo = 200;

const FollowHeaders = z.object({
  'last-event-id': z
    .union([LastEventId, NodePositionText])
    .describe('Resume after this event. Without it, the stream starts with the next event that is written.'),
});

const Message = z.strictObject({ event: z.string().describe("The event's kind."), data: FollowedEvent });

/**
 * `GET /audit/follow`: server-sent events for log events once they are durable, with the sequence
 * as id; in a cluster, of all nodes, with a sequence for each node as id. `Last-Event-ID` resumes after that event; without it, the stream starts with the next
 * event. Events are read at the client's pace, so a slow client falls behind without delaying
 * others.
 */
export function auditFollowRoute(
  app: FastifyInstance,
  { execute: { audit }, eventsOfNodes, shutdown }: AppDeps,
  accessFor: AccessFor,
): void {
  let followers = 0;

  defineRoute(app, {
    method: 'GET',
    url: '/audit/follow',
    scope: 'audit:read',
    id: 'followEvents',
    group: 'Audit log',
    summary: 'Follow events',
    description: `Server-sent events as they are written: \`id\` is the sequence, \`event\` the kind. In a cluster, the events of all nodes, and \`id\` has a sequence for each node. At most ${followersMax} clients follow at the same time. A client that reads nothing for ${stalledMs / 1000} s is disconnected.`,
    headers: FollowHeaders,
    answers: {
      200: stream('The events, until either side disconnects.', {
        'text/event-stream': { description: 'One event of the log each.', each: Message },
      }),
    },
    problems: ['OVERLOADED'],
    async handle({ headers: { 'last-event-id': after } }, request, reply) {
      if (followers >= followersMax)
        throw new SkillError(
          'OVERLOADED',
          `${followersMax} clients already follow the log; try again when one disconnects`,
        );
      followers += 1;
      const follower = { isVisible: accessFor(request).audit.eventFilter(), holds: rightsOf(request).holds };
      const source =
        eventsOfNodes === undefined
          ? eventsOf(audit, follower, typeof after === 'number' ? after : undefined, shutdown)
          : nodeEvents(eventsOfNodes, follower, typeof after === 'number' ? undefined : after, shutdown);
      return sendEvents(reply, source, shutdown, () => {
        followers -= 1;
      });
    },
  });
}

function eventsOf(
  audit: AuditLog,
  { isVisible, holds }: Follower,
  after: number | undefined,
  shutdown: AbortSignal,
): EventSource {
  let next = after === undefined ? undefined : after + 1;
  return {
    holds: () => !shutdown.aborted && holds(),
    async next() {
      let text = '';
      while (text === '' && next !== undefined && !shutdown.aborted) {
        const page = await audit.events(next, eventsInOneGo);
        if (page.length === 0) break;
        for (const { sequence, hash, event } of page) {
          next = sequence + 1;
          const data = JSON.stringify({ sequence, hash, event });
          if (await isVisible(event)) text += eventText({ id: sequence, name: event.kind, data });
        }
      }
      return { text, isOver: false };
    },
    subscribe(news) {
      const stop = audit.follow(({ sequence }) => {
        next ??= sequence;
        news();
      });
      shutdown.addEventListener('abort', news);
      return () => {
        stop();
        shutdown.removeEventListener('abort', news);
      };
    },
  };
}
