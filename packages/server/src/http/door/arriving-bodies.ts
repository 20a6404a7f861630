import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import { whenClosed } from '../stream/when-closed.ts';

/**
 * Counts a body from when it is announced: those who send slowly, or never to the end, hold memory as well. One that says
 * no length counts as the largest there may be. Throws `OVERLOADED` before anything of it is read.
 */
export function countArrivingBodies(
  app: FastifyInstance,
  { executions, bodyLimitBytes }: Pick<AppDeps, 'executions' | 'bodyLimitBytes'>,
): void {
  const arriving = new WeakMap<FastifyRequest, () => void>();
  app.addHook('preParsing', async (request, reply) => {
    const bytes = Math.min(announced(request), bodyLimitBytes);
    // That of a GET is not read.
    if (request.actor === null || bytes === 0 || request.method === 'GET') return;
    const release = executions.hold(request.actor, bytes);
    arriving.set(request, release);
    whenClosed(reply, release);
  });
  // It is a value by now, which is counted by whoever keeps it.
  app.addHook('preValidation', async (request, reply) => {
    const release = arriving.get(request);
    if (release === undefined) return;
    // Answers that are streams have as many listeners as Node takes for usual.
    reply.raw.off('close', release);
    release();
  });
}

function announced({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
