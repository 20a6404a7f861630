import { SkillError, skillErrorCodes } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

const Ready = z.strictObject({ status: z.literal('ready') }).meta({ id: 'Ready' });

/** Anybody may read it, so that it names the code, which is everywhere the same, and no file of this machine. */
const Unready = z
  .strictObject({
    status: z.literal('unavailable'),
    code: z.enum(skillErrorCodes).describe('With which calls are refused.'),
  })
  .meta({ id: 'Unready' });

/**
 * `GET /readyz`: for whoever sends calls here, without a key. 200 when they would be taken; 503 with the code that they
 * would be refused with, as `AUDIT_UNAVAILABLE` while the log cannot be written.
 */
export function readyRoute(app: FastifyInstance, { ready }: AppDeps): void {
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
      200: json('Calls are taken.', Ready, { example: { status: 'ready' } }),
      503: json('They are refused, with this code.', Unready, {
        example: { status: 'unavailable', code: 'AUDIT_UNAVAILABLE' },
      }),
    },
    problems: [],
    async handle(_, __, reply) {
      try {
        await ready();
        return { status: 'ready' as const };
      } catch (error) {
        if (!(error instanceof SkillError)) throw error;
        reply.code(503);
        return { status: 'unavailable' as const, code: error.code };
      }
    },
  });
}
