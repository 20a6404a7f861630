import { SkillError, type SkillErrorCode } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../app-deps.ts';

/** Anybody may read it, so that it names the code, which is everywhere the same, and no file of this machine. */
type Readiness = { status: 'ready' } | { status: 'unavailable'; code: SkillErrorCode };

/**
 * `GET /readyz`: for whoever sends calls here, without a key. 200 when they would be taken; 503 with the code that they
 * would be refused with, as `AUDIT_UNAVAILABLE` while the log cannot be written.
 */
export function readyRoute(app: FastifyInstance, { ready }: AppDeps): void {
  app.get('/readyz', async (_, reply): Promise<Readiness> => {
    try {
      await ready();
      return { status: 'ready' };
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      reply.code(503);
      return { status: 'unavailable', code: error.code };
    }
  });
}
