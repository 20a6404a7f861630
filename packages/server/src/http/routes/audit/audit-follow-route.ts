import { auditContracts, followersMax } from '@ambit/api';
import { SkillError } from '@ambit/core';
import type { AuditLog } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { type EventSource, eventText } from '../../stream/follow-events.ts';
import { sendEvents } from '../../stream/send-events.ts';
import { type Follower, nodeEvents } from './node-events.ts';

const eventsInOneGo = 200;

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

  route(app, auditContracts.followEvents, async ({ headers: { 'last-event-id': after } }, request, reply) => {
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
