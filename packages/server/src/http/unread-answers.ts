import type { FastifyInstance } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { boundsOf } from './server-options.ts';
import { dropStalled } from './stream/drop-stalled.ts';

/**
 * Closes a connection whose client takes nothing of an answer that is whole, and would keep it in memory for ever. An
 * answer that is being made has no such bound: a skill may run for long, and a stream knows itself when nobody reads it.
 */
export function dropUnreadAnswers(app: FastifyInstance, deps: Pick<AppDeps, 'bounds' | 'shutdown'>): void {
  const { answerMs } = boundsOf(deps);
  app.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply;
    raw.once('prefinish', () => {
      // What the system has taken is out of our hands.
      if (raw.writableLength > 0 || (raw.socket?.writableLength ?? 0) > 0)
        dropStalled(reply, deps.shutdown, answerMs);
    });
    done();
  });
}
