import type { FastifyInstance } from 'fastify';
import { Health } from '../../wire/answer/health.ts';
import type { AppDeps } from '../app-deps.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

/** `GET /healthz`: for whoever watches the daemon, without a key. 200, or 503 when it cannot do its work. */
export function healthRoute(app: FastifyInstance, { health }: AppDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/healthz',
    scope: 'open',
    id: 'getHealth',
    group: 'Daemon',
    summary: 'Whether the daemon works',
    description: 'For whoever watches the daemon.',
    query: 'anything',
    answers: {
      200: json('The log can be read.', Health, { example: { status: 'ok' } }),
      503: json('It cannot.', Health, { example: { status: 'unavailable' } }),
    },
    problems: [],
    async handle(_, __, reply) {
      const answer = await health();
      reply.code(answer.status === 'ok' ? 200 : 503);
      return answer;
    },
  });
}
