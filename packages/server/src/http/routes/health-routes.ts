import { daemonContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../route/app-deps.ts';
import { route } from '../route/route.ts';

/**
 * `GET /healthz`: a liveness check without a key, for supervisors. Any response means alive: a
 * restart does not fix a full disk or an unreadable log. `GET /readyz` reports those.
 */
export function healthRoute(app: FastifyInstance): void {
  route(app, daemonContracts.getHealth, async () => ({ status: 'ok' as const }));
}

/**
 * `GET /readyz`: a readiness check without a key, for load balancers. 200 if calls are accepted;
 * otherwise 503 with the code that they are refused with, such as `AUDIT_UNAVAILABLE`.
 * `configuration` is `refused` if the file was read again and is invalid; the previous
 * configuration stays in force.
 */
export function readyRoute(app: FastifyInstance, { ready, configuration, draining }: AppDeps): void {
  route(app, daemonContracts.getReadiness, async (_, __, reply) => {
    if (draining.aborted) {
      reply.code(503);
      return { status: 'unavailable' as const, code: 'SHUTTING_DOWN' as const, checks: {} };
    }
    const checks = await ready();
    // Most calls run without the store. Nodes that share one would all be taken out of service with it.
    const code = Object.values(checks).find(
      (found) => found !== 'ok' && found !== 'low' && found !== 'STORE_UNAVAILABLE',
    );
    if (code === undefined) return { status: 'ready' as const, configuration: configuration(), checks };
    reply.code(503);
    return { status: 'unavailable' as const, code, checks };
  });
}
