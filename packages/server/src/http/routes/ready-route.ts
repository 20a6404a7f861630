import type { FastifyInstance } from 'fastify';
import { Ready, Unready } from '../../wire/answer/health.ts';
import type { AppDeps } from '../app-deps.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

/**
 * `GET /readyz`: for whoever sends calls here, without a key. 200 when they would be taken; 503 with the code that they
 * would be refused with, as `AUDIT_UNAVAILABLE` while the log cannot be written. `configuration` is `refused` while the file
 * that was last read cannot be used, and the one before holds.
 */
export function readyRoute(app: FastifyInstance, { ready, configuration, draining }: AppDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/readyz',
    scope: 'open',
    id: 'getReadiness',
    group: 'Daemon',
    summary: 'Whether calls are taken',
    description: 'For whoever sends calls here.',
    query: 'anything',
    answers: {
      200: json('Calls are taken.', Ready, {
        example: { status: 'ready', configuration: 'current', checks: { audit: 'ok' } },
      }),
      503: json('They are refused, with this code.', Unready, {
        example: {
          status: 'unavailable',
          code: 'AUDIT_UNAVAILABLE',
          checks: { audit: 'AUDIT_UNAVAILABLE' },
        },
      }),
    },
    problems: [],
    async handle(_, __, reply) {
      if (draining.aborted) {
        reply.code(503);
        return { status: 'unavailable' as const, code: 'SHUTTING_DOWN' as const, checks: {} };
      }
      const checks = await ready();
      const code = Object.values(checks).find((found) => found !== 'ok' && found !== 'low');
      if (code === undefined) return { status: 'ready' as const, configuration: configuration(), checks };
      reply.code(503);
      return { status: 'unavailable' as const, code, checks };
    },
  });
}
