import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { boundsOf } from './server-options.ts';

/**
 * Closes a connection whose client takes nothing of an answer that is whole, and would keep it in memory for ever. An
 * answer that is being made has no such bound: a skill may run for long, and a stream knows itself when nobody reads it.
 */
export function dropUnreadAnswers(app: FastifyInstance, deps: Pick<AppDeps, 'bounds'>): void {
  const { answerMs } = boundsOf(deps);
  app.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply;
    raw.once('prefinish', () => {
      const { socket } = raw;
      // Gone already, or none: the request was made in this process.
      if (!(socket instanceof Socket)) return;
      const drop = (): void => void socket.destroy();
      // As long as some of it is taken, the time begins anew.
      socket.setTimeout(answerMs, drop);
      raw.once('finish', () => socket.off('timeout', drop));
    });
    done();
  });
}
