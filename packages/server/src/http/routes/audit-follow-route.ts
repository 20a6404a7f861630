import { Readable } from 'node:stream';
import { type AuditEvent, type AuditLog, SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { Refusal } from '../problem/refusal.ts';
import { rightsOf } from '../request-state.ts';
import type { ReachFor } from './reach-for.ts';
import { whileRead } from './while-read.ts';

const followersMost = 16;
const eventsInOneGo = 200;
/** So often something is said, whether anything happened or not. */
const beatMs = 15_000;

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
    const gone = new AbortController();
    reply.raw.once('close', () => {
      followers -= 1;
      gone.abort();
    });
    const ended = AbortSignal.any([gone.signal, shutdown]);
    const follower = { isVisible: reachFor(request).audit.eventFilter(), holds: rightsOf(request).holds };
    const stream = Readable.from(whileRead(events(audit, follower, after, ended), () => reply.raw.destroy()));
    // A connection that were kept would keep a stop waiting.
    const headers = { connection: 'close', 'x-accel-buffering': 'no' };
    return reply.type('text/event-stream').headers(headers).send(stream);
  });
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new Refusal(
    'REQUEST_INVALID',
    'Last-Event-ID is the id of an event that came before: a whole number',
  );
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
