import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import { shuttingDown } from '../problem/refusal.ts';
import { whenClosed } from '../stream/when-closed.ts';

/**
 * Counts a body from when it is announced: those who send slowly, or never to the end, hold memory as well. One that says
 * no length counts as the largest there may be. Throws `OVERLOADED` before anything of it is read. What has not come whole
 * when runs are ended is refused with `SHUTTING_DOWN`: nothing of it has run, and its end may never come.
 */
export function watchArrivingBodies(
  app: FastifyInstance,
  { jobs, bodyLimitBytes, shutdown }: Pick<AppDeps, 'jobs' | 'bodyLimitBytes' | 'shutdown'>,
): void {
  /** What tells that a body has come whole, or never will. */
  const arriving = new Map<FastifyRequest, () => void>();
  app.addHook('preParsing', async (request, reply) => {
    const bytes = Math.min(announced(request), bodyLimitBytes);
    // That of a GET is not read.
    if (request.actor === null || bytes === 0 || request.method === 'GET') return;
    if (shutdown.aborted) throw shuttingDown();
    const release = jobs.hold(request.actor, bytes);
    const arrived = (): void => {
      // Answers that are streams have as many listeners as Node takes for usual.
      reply.raw.off('close', arrived);
      arriving.delete(request);
      release();
    };
    arriving.set(request, arrived);
    whenClosed(reply, arrived);
  });
  // It is a value by now, which is counted by whoever keeps it.
  app.addHook('preValidation', async (request) => arriving.get(request)?.());
  const refuse = (): void => {
    // Whoever reads the body refuses the request with it.
    for (const { raw } of arriving.keys())
      if (raw.listenerCount('error') > 0) raw.emit('error', shuttingDown());
  };
  // In its turn: nobody may have begun to read it yet.
  shutdown.addEventListener('abort', () => setImmediate(refuse), { once: true });
}

function announced({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
