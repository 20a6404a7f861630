import type { FastifyInstance } from 'fastify';
import { Health } from '../../wire/answer/health.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

/**
 * `GET /healthz`: whether the daemon lives, for whoever would start it again, without a key. That it answers is the answer:
 * a disk that is full or a log that is gone is not mended by a new start, and `GET /readyz` tells of those.
 */
export function healthRoute(app: FastifyInstance): void {
  defineRoute(app, {
    method: 'GET',
    url: '/healthz',
    scope: 'open',
    id: 'getHealth',
    group: 'Daemon',
    summary: 'Whether the daemon lives',
    description: 'For whoever would start it again: that it answers is the answer.',
    query: 'anything',
    answers: { 200: json('It lives.', Health, { example: { status: 'ok' } }) },
    problems: [],
    handle: async () => ({ status: 'ok' as const }),
  });
}
