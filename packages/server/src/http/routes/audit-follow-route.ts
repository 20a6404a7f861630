import { type AuditEvent, type AuditLog, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { type EventSource, eventText } from '../stream/followed.ts';
import { lastEventId } from '../stream/last-event-id.ts';
import { sendEvents } from '../stream/send-events.ts';
import type { ReachFor } from './reach-for.ts';

const followersMost = 16;
const eventsInOneGo = 200;

const NoQuery = z.strictObject({});

/**
 * `GET /audit/follow`: events of the log as they become durable, as server-sent events with their sequence for an id.
 * `Last-Event-ID` goes on after that one; without it, it begins with the next that is written. Events are read from the
 * log at the reader's own pace, so that a slow one is behind and holds nothing up.
 */
export function auditFollowRoute(
  app: FastifyInstance,
  { execute: { audit }, shutdown }: AppDeps,
  reachFor: ReachFor,
): void {
  let followers = 0;

  app.get('/audit/follow', async (request, reply) => {
    parseRequest(NoQuery, request.query);
    const after = lastEventId(request.headers['last-event-id']);
    if (followers >= followersMost)
      throw new SkillError(
        'OVERLOADED',
        `${followersMost} follow the log already; try again when one has gone`,
      );
    followers += 1;
    const follower = { isVisible: reachFor(request).audit.eventFilter(), holds: rightsOf(request).holds };
    return sendEvents(reply, eventsOf(audit, follower, after, shutdown), shutdown, () => {
      followers -= 1;
    });
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
    watch(news) {
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
