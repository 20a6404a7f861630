import type { ServerResponse } from 'node:http';
import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { boundsOf } from './server-options.ts';
import { dropStalled } from './stream/drop-stalled.ts';
import { whenClosed } from './stream/when-closed.ts';

/**
 * Bounds what clients keep in memory that take nothing of their answers. The connection of one that is whole is closed after
 * a while (an answer that is being made has no such bound: a skill may run for long, and a stream knows itself when nobody
 * reads it), and a key that has very much unread, or very many answers open, is given nothing more: `OVERLOADED`.
 */
export function boundUnreadAnswers(app: FastifyInstance, deps: Pick<AppDeps, 'bounds' | 'shutdown'>): void {
  const { answerMs, unreadBytesMax, answersMax } = boundsOf(deps);
  const answers = openAnswers();
  app.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply;
    raw.once('prefinish', () => {
      // What the system has taken is out of our hands.
      if (unreadOf(raw) > 0) dropStalled(reply, deps.shutdown, answerMs);
    });
    done();
  });
  // When it is known whose it is, and before anything is read or made.
  app.addHook('preParsing', ({ actor }, reply, payload, done) => {
    if (actor === null) return done(null, payload);
    // First, so that few have to be looked at.
    if (answers.count(actor) >= answersMax) return done(tooMany(actor, answersMax));
    const unread = answers.unreadBytes(actor);
    if (unread > unreadBytesMax) return done(tooMuch(actor, unread));
    answers.add(actor, reply);
    done(null, payload);
  });
}

function tooMany(actor: Actor, most: number): SkillError {
  return new SkillError(
    'OVERLOADED',
    `the key ${actor} waits for ${most} answers, which is all that may; let some end, or hang up, and send it again`,
  );
}

function tooMuch(actor: Actor, bytes: number): SkillError {
  return new SkillError(
    'OVERLOADED',
    `${bytes} bytes of answers to the key ${actor} have not been read; read them, or hang up, and send it again`,
  );
}

/** The answers that are not over yet, by whose they are. */
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

/** What has been written of it, and the system has not taken. */
function unreadOf({ writableLength, socket }: ServerResponse): number {
  return Math.max(writableLength, socket?.writableLength ?? 0);
}
