import { skillErrorCodes } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';

const Checks = z.record(z.string(), z.enum(['ok', ...skillErrorCodes]));

/** Anybody may read it, so that it names codes, which are everywhere the same, and no file of this machine. */
const ReadyAnswer = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('ready'), checks: Checks }),
  z.strictObject({ status: z.literal('unavailable'), code: z.enum(skillErrorCodes), checks: Checks }),
]);

/**
 * `GET /readyz`: for whoever sends calls here, without a key. 200 when they would be taken; 503 with the code that they
 * would be refused with, as `AUDIT_UNAVAILABLE` while the log cannot be written.
 */
export function readyRoute(app: FastifyInstance, { ready }: AppDeps): void {
  app.get('/readyz', async (_, reply): Promise<z.output<typeof ReadyAnswer>> => {
    const checks = await ready();
    const code = Object.values(checks).find((found) => found !== 'ok');
    if (code === undefined) return { status: 'ready', checks };
    reply.code(503);
    return { status: 'unavailable', code, checks };
  });
}
