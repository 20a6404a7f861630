import { SkillError } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import type { ProblemCode } from '../problem/answers.ts';

/** Anybody may read it, so that it names the code, which is everywhere the same, and no file of this machine. */
type Readiness =
  | { status: 'ready'; configuration: 'current' | 'refused' }
  | { status: 'unavailable'; code: ProblemCode };

/**
 * `GET /readyz`: for whoever sends calls here, without a key. 200 when they would be taken; 503 with the code that they
 * would be refused with, as `AUDIT_UNAVAILABLE` while the log cannot be written. `configuration` is `refused` while the file
 * that was last read cannot be used, and the one before holds.
 */
export function readyRoute(app: FastifyInstance, { ready, configuration, draining }: AppDeps): void {
  app.get('/readyz', async (_, reply): Promise<Readiness> => {
    if (draining.aborted) {
      reply.code(503);
      return { status: 'unavailable', code: 'SHUTTING_DOWN' };
    }
    try {
      await ready();
      return { status: 'ready', configuration: configuration() };
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      reply.code(503);
      return { status: 'unavailable', code: error.code };
    }
  });
}
