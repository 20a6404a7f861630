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
    if (request.actor === null || bytes === 0) return;
    const release = executions.hold(request.actor, bytes);
    arriving.set(request, release);
    whenClosed(reply, release);
  });
  // It is a value by now, which is counted by whoever keeps it.
  app.addHook('preValidation', async (request) => arriving.get(request)?.());
}

function announced({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
