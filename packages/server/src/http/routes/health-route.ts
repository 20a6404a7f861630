import type { FastifyInstance } from 'fastify';
import { Health } from '../../wire/answer/health.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

/**
 * `GET /healthz`: a liveness check without a key, for supervisors. Any response means alive: a
 * restart does not fix a full disk or an unreadable log. `GET /readyz` reports those.
 */
export function healthRoute(app: FastifyInstance): void {
  defineRoute(app, {
    method: 'GET',
    url: '/healthz',
    scope: 'open',
    id: 'getHealth',
    group: 'Daemon',
    summary: 'Check liveness',
    description: 'For supervisors: any response means that the daemon is alive.',
    query: 'anything',
    answers: { 200: json('The daemon is alive.', Health, { example: { status: 'ok' } }) },
    problems: [],
    handle: async () => ({ status: 'ok' as const }),
  });
}
