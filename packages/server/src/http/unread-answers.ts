import { type Actor, SkillError } from '@ambit/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { boundsOf } from './server-options.ts';
import { dropStalled } from './stream/drop-stalled.ts';
import { whenClosed } from './stream/when-closed.ts';

/**
 * Bounds what clients that take nothing of their answers keep in memory. Such a connection is closed after a while, and a
 * key whose answers lie there unread in such numbers is given no more: `OVERLOADED`. An answer that is being made has no such
 * bound: a skill may run for long, and a stream knows itself when nobody reads it.
 */
export function boundUnreadAnswers(app: FastifyInstance, deps: Pick<AppDeps, 'bounds' | 'shutdown'>): void {
  const { answerMs, unreadBytesMost } = boundsOf(deps);
  const unread = new Map<Actor, number>();
  const add = (actor: Actor, bytes: number): void => {
    const sum = (unread.get(actor) ?? 0) + bytes;
    if (sum === 0) unread.delete(actor);
    else unread.set(actor, sum);
  };
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('prefinish', () => {
      const bytes = unreadBytes(reply);
      // What the system has taken is out of our hands.
      if (bytes === 0) return;
      dropStalled(reply, deps.shutdown, answerMs);
      const { actor } = request;
      if (actor === null) return;
      add(actor, bytes);
      whenClosed(reply, () => add(actor, -bytes));
    });
    done();
  });
  app.addHook('preParsing', async ({ actor }: FastifyRequest) => {
    const bytes = (actor !== null && unread.get(actor)) || 0;
    if (bytes > unreadBytesMost)
      throw new SkillError(
        'OVERLOADED',
        `${bytes} bytes of answers to the key ${actor} have not been read; read them, or hang up, and send it again`,
      );
  });
}

function unreadBytes({ raw }: FastifyReply): number {
  return Math.max(raw.writableLength, raw.socket?.writableLength ?? 0);
}
