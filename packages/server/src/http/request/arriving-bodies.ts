import type { FastifyInstance, FastifyRequest } from 'fastify';
import { whenClosed } from '../connections/when-closed.ts';
import { shuttingDown } from '../problem/refusal.ts';
import type { AppDeps } from '../route/app-deps.ts';

/**
 * Counts a body from when its headers announce it, because slow clients hold memory too. A body
 * without a length counts as the maximum. Throws `OVERLOADED` before reading any of it. A body that
 * is still incomplete when shutdown ends running calls is refused with `SHUTTING_DOWN`: nothing has
 * run, and the rest may never arrive.
 */
export function watchArrivingBodies(
  app: FastifyInstance,
  { jobs, bodyLimitBytes, shutdown }: Pick<AppDeps, 'jobs' | 'bodyLimitBytes' | 'shutdown'>,
): void {
  /** By request: call it when the body is complete or never will be. */
  const arriving = new Map<FastifyRequest, () => void>();
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = Math.min(announced(request), bodyLimitBytes);
    // The body of a GET is not read.
    if (request.actor === null || bytes === 0 || request.method === 'GET') return done(null, payload);
    if (shutdown.aborted) throw shuttingDown();
    const release = jobs.hold(request.actor, bytes);
    const arrived = (): void => {
      // Streaming responses already have as many listeners as Node allows before it warns.
      reply.raw.off('close', arrived);
      arriving.delete(request);
      release();
    };
    arriving.set(request, arrived);
    whenClosed(reply, arrived);
    done(null, payload);
  });
  // The body is parsed now, and counted by its new owner.
  app.addHook('preValidation', (request, _reply, done) => {
    arriving.get(request)?.();
    done();
  });
  const refuse = (): void => {
    // The body's reader refuses the request with this error.
    for (const { raw } of arriving.keys())
      if (raw.listenerCount('error') > 0) raw.emit('error', shuttingDown());
  };
  // Deferred: nothing may have begun to read the body yet.
  shutdown.addEventListener('abort', () => setImmediate(refuse), { once: true });
}

function announced({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
