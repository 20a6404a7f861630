import { daemonContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';
import { route } from '../route/route.ts';
import { boundToSkills } from './audit/audit-bounds.ts';

/** `GET /metrics` in Prometheus text format, or in OpenMetrics 1.0 if `Accept` names it. */
export function metricsRoute(app: FastifyInstance, { scrape }: AppDeps): void {
  route(app, daemonContracts.getMetrics, async (_, request, reply) => {
    if (rightsOf(request).skills !== undefined)
      throw boundToSkills(request, 'GET /audit/stats?skill=… with the scope audit:read', 'all skills');
    const { contentType, body } = await scrape(request.headers.accept);
    return reply.type(contentType).send(body);
  });
}
