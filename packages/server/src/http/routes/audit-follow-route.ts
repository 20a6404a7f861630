import { Readable } from 'node:stream';
import { type AuditEvent, type AuditLog, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FollowedEvent } from '../../wire/answer/audit.ts';
import type { AppDeps } from '../app-deps.ts';
import { rightsOf } from '../request-state.ts';
import { stream } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';
import type { ReachFor } from './reach-for.ts';

const followersMost = 16;
const eventsInOneGo = 200;
/** So often something is said, whether anything happened or not. */
const beatMs = 15_000;
/** Whoever has not read for so long is not there any more. */
const stalledMs = 30_000;

const FollowHeaders = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,15}$/, 'write the id of an event that came before: a whole number')
    .transform(Number)
    .optional()
    .describe('Go on after this event; without it, with the next that is written.'),
});

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

  defineRoute(app, {
    method: 'GET',
    url: '/audit/follow',
    scope: 'audit:read',
    id: 'followEvents',
    group: 'Audit log',
    summary: 'Events as they are written',
    description: `Server-sent events: \`id\` is the sequence, \`event\` the kind. At most ${followersMost} follow at once; one that reads nothing for ${stalledMs / 1000} s is dropped.`,
    headers: FollowHeaders,
    answers: {
      200: stream('The events, until one side ends it.', {
        'text/event-stream': { description: 'An event of the log each.', each: FollowedEvent },
      }),
    },
    problems: ['OVERLOADED'],
    async handle({ headers: { 'last-event-id': after } }, request, reply) {
      if (followers >= followersMost)
        throw new SkillError(
          'OVERLOADED',
          `${followersMost} follow the log already; try again when one has gone`,
        );
      followers += 1;
      const gone = new AbortController();
      reply.raw.once('close', () => {
        followers -= 1;
        gone.abort();
      });
      const ended = AbortSignal.any([gone.signal, shutdown]);
      const follower = { isVisible: reachFor(request).audit.eventFilter(), holds: rightsOf(request).holds };
      const body = Readable.from(watched(events(audit, follower, after, ended), () => reply.raw.destroy()));
      // A connection that were kept would keep a stop waiting.
      const headers = { connection: 'close', 'x-accel-buffering': 'no' };
      return reply.type('text/event-stream').headers(headers).send(body);
    },
  });
}

/** Who follows: what of the log it may see, and whether its key is still good. */
interface Follower {
  isVisible(event: AuditEvent): Promise<boolean>;
  holds(): boolean;
}

async function* events(
  audit: AuditLog,
  { isVisible, holds }: Follower,
  after: number | undefined,
  ended: AbortSignal,
): AsyncGenerator<string> {
  let next = after === undefined ? undefined : after + 1;
  let woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  ended.addEventListener('abort', wake);
  const stop = audit.follow(({ sequence }) => {
    next ??= sequence;
    wake();
  });
  try {
    yield ': following\n\n';
    while (!ended.aborted && holds()) {
      woken = Promise.withResolvers();
      const page = next === undefined ? [] : await audit.events(next, eventsInOneGo);
      for (const { sequence, hash, event } of page) {
        next = sequence + 1;
        if (await isVisible(event))
          yield `id: ${sequence}\nevent: ${event.kind}\ndata: ${JSON.stringify({ sequence, hash, event })}\n\n`;
      }
      if (page.length > 0) continue;
      const beat = setTimeout(wake, beatMs);
      await woken.promise;
      clearTimeout(beat);
      yield ':\n\n';
    }
  } finally {
    stop();
    ended.removeEventListener('abort', wake);
  }
}

/** Ends with `stalled` when what was handed out is not taken. */
async function* watched(source: AsyncGenerator<string>, stalled: () => void): AsyncGenerator<string> {
  for await (const text of source) {
    const timer = setTimeout(stalled, stalledMs);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }
}
