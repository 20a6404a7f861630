import type { FastifyInstance } from 'fastify';
import { stream } from '../route/answer.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';
import { rightsOf } from '../route/request-state.ts';
import { boundToSkills } from './audit/audit-bounds.ts';

/** `GET /metrics` in Prometheus text format, or in OpenMetrics 1.0 if `Accept` names it. */
export function metricsRoute(app: FastifyInstance, { scrape }: AppDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/metrics',
    scope: 'metrics',
    id: 'getMetrics',
    group: 'Daemon',
    summary: 'Get metrics',
    description: 'Calls, refusals, durations, queues, hosts, the log and the process, for Prometheus.',
    answers: {
      200: stream('The metrics.', {
        'text/plain': { description: 'The Prometheus text format.' },
        'application/openmetrics-text': { description: 'OpenMetrics 1.0, if `Accept` names it.' },
      }),
    },
    problems: ['SCOPE_MISSING'],
    async handle(_, request, reply) {
      if (rightsOf(request).skills !== undefined)
        throw boundToSkills(request, 'GET /audit/stats?skill=… with the scope audit:read', 'all skills');
      const { contentType, body } = await scrape(request.headers.accept);
      return reply.type(contentType).send(body);
    },
  });
}
