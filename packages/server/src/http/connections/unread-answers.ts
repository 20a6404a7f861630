import type { ServerResponse } from 'node:http';
import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { dropStalled } from './drop-stalled.ts';
import { boundsOf, type ConnectionBounds } from './server-options.ts';
import { whenClosed } from './when-closed.ts';

/**
 * Limits the memory that clients use by not reading. The connection of a complete but unread
 * response is closed after a timeout. A response in progress has no such limit: a skill may run
 * long, and a stream detects stalled readers itself. A key with too many unread bytes or open
 * responses is refused with `OVERLOADED`.
 */
export function boundUnreadAnswers(
  app: FastifyInstance,
  deps: { bounds?: ConnectionBounds; shutdown: AbortSignal },
): void {
  const { answerMs, unreadBytesMax, answersMax } = boundsOf(deps);
  const answers = openAnswers();
  app.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply;
    raw.once('prefinish', () => {
      // Bytes handed to the operating system no longer count.
      if (unreadOf(raw) > 0) dropStalled(reply, deps.shutdown, answerMs);
    });
    done();
  });
  // Once the key is known, before anything is read or computed.
  app.addHook('preParsing', ({ actor }, reply, payload, done) => {
    if (actor === null) return done(null, payload);
    // Checked first, because it bounds the loop below.
    if (answers.count(actor) >= answersMax) return done(tooMany(actor, answersMax));
    const unread = answers.unreadBytes(actor);
    if (unread > unreadBytesMax) return done(tooMuch(actor, unread));
    answers.add(actor, reply);
    done(null, payload);
  });
}

function tooMany(actor: Actor, max: number): SkillError {
  return new SkillError(
    'OVERLOADED',
    `the key ${actor} already has ${max} open responses, which is the limit; wait for some to end or close them, then try again`,
  );
}

function tooMuch(actor: Actor, bytes: number): SkillError {
  return new SkillError(
    'OVERLOADED',
    `${bytes} bytes of responses to the key ${actor} are unread; read them or close their connections, then try again`,
  );
}

/** The open responses by key. */
function openAnswers(): {
  add(actor: Actor, reply: FastifyReply): void;
  count(actor: Actor): number;
  unreadBytes(actor: Actor): number;
} {
  const open = new Map<Actor, Set<ServerResponse>>();
  return {
    add(actor, reply) {
      const own = open.get(actor) ?? new Set();
      open.set(actor, own);
      own.add(reply.raw);
      whenClosed(reply, () => {
        own.delete(reply.raw);
        if (own.size === 0 && open.get(actor) === own) open.delete(actor);
      });
    },
    count: (actor) => open.get(actor)?.size ?? 0,
    unreadBytes(actor) {
      let bytes = 0;
      for (const raw of open.get(actor) ?? []) bytes += unreadOf(raw);
      return bytes;
    },
  };
}

/** The bytes that were written and not yet handed to the operating system. */
export function unreadOf({ writableLength, socket }: ServerResponse): number {
  return Math.max(writableLength, socket?.writableLength ?? 0);
}
