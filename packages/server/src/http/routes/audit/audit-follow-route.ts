import { SkillError } from '@ambit/core';
import type { AuditEvent, AuditLog } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FollowedEvent } from '../../../wire/answer/audit.ts';
import type { AppDeps } from '../../app-deps.ts';
import { rightsOf } from '../../request-state.ts';
import { stream } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import { stalledMs } from '../../stream/drop-stalled.ts';
import { type EventSource, eventText } from '../../stream/followed.ts';
import { LastEventId } from '../../stream/last-event-id.ts';
import { sendEvents } from '../../stream/send-events.ts';
import type { AccessFor } from '../access-for.ts';

const followersMax = 16;
const eventsInOneGo = 200;

const FollowHeaders = z.object({
  'last-event-id': LastEventId.describe('Go on after this event; without it, with the next that is written.'),
});

const Followed = z.strictObject({ event: z.string().describe('Its kind.'), data: FollowedEvent });

/**
 * `GET /audit/follow`: events of the log as they become durable, as server-sent events with their sequence for an id.
 * `Last-Event-ID` goes on after that one; without it, it begins with the next that is written. Events are read from the
 * log at the reader's own pace, so that a slow one is behind and holds nothing up.
 */
export function auditFollowRoute(
  app: FastifyInstance,
  { execute: { audit }, shutdown }: AppDeps,
  reachFor: AccessFor,
): void {
  let followers = 0;

  defineRoute(app, {
    method: 'GET',
    url: '/audit/follow',
    scope: 'audit:read',
    id: 'followEvents',
    group: 'Audit log',
    summary: 'Events as they are written',
    description: `Server-sent events: \`id\` is the sequence, \`event\` the kind. At most ${followersMax} follow at once; one that reads nothing for ${stalledMs / 1000} s is dropped.`,
    headers: FollowHeaders,
    answers: {
      200: stream('The events, until one side ends it.', {
        'text/event-stream': { description: 'An event of the log each.', each: Followed },
      }),
    },
    problems: ['OVERLOADED'],
    async handle({ headers: { 'last-event-id': after } }, request, reply) {
      if (followers >= followersMax)
        throw new SkillError(
          'OVERLOADED',
          `${followersMax} follow the log already; try again when one has gone`,
        );
      followers += 1;
      const follower = { isVisible: reachFor(request).audit.eventFilter(), holds: rightsOf(request).holds };
      return sendEvents(reply, eventsOf(audit, follower, after, shutdown), shutdown, () => {
        followers -= 1;
      });
    },
  });
}

/** Who follows: what of the log it may see, and whether its key is still good. */
interface Follower {
  isVisible(event: AuditEvent): Promise<boolean>;
  holds(): boolean;
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
